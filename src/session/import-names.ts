import type { CallRecord, EntryBody, Source } from './entry.ts'
import type { ExportedFile } from './export-line.ts'
import type { FileRow } from './file-row.ts'
import type { SessionStore } from './store/session-store.ts'

/** What the imported things are called here. */
export interface Names {
  call(call: string): string
  file(file: string): string
}

/** A call of a session with another id has another name. A file keeps its own where nobody has it. */
export async function namesFor(
  store: SessionStore,
  files: readonly ExportedFile[],
  as: string | undefined,
): Promise<Names> {
  if (as === undefined) return { call: (call) => call, file: (file) => file }
  const taken = new Set<string>()
  for (const { id } of files) if (await store.file(id)) taken.add(id)
  return { call: (call) => `${as}.${call}`, file: (file) => (taken.has(file) ? `${as}.${file}` : file) }
}

export function renamedBody(body: EntryBody, names: Names): EntryBody {
  const renamed = 'call' in body && body.call !== undefined ? { ...body, call: names.call(body.call) } : body
  const named = (source: Source) => ({ ...source, document: names.file(source.document) })
  switch (renamed.type) {
    case 'input': {
      const { attachments } = renamed
      const moved = attachments?.map((attached) => ({ ...attached, file: names.file(attached.file) }))
      return moved ? { ...renamed, attachments: moved } : renamed
    }
    case 'assembly':
    case 'tool-end':
      return renamed.sources ? { ...renamed, sources: renamed.sources.map(named) } : renamed
    case 'message':
      return renamed.citations ? { ...renamed, citations: renamed.citations.map(named) } : renamed
    default:
      return renamed
  }
}

export function renamedCall(record: CallRecord, session: string, names: Names): CallRecord {
  return { ...record, id: names.call(record.id), session }
}

export function ownedFile(file: ExportedFile, session: string, names: Names): FileRow {
  return { ...file, id: names.file(file.id), owner: { type: 'session', id: session } }
}
