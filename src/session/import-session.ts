import { changedParts, type ImageSupport, type Message, storedImage, storedImages } from '../context.ts'
import { type Clock, inSlices, timeSlice } from '../platform.ts'
import { isWithdrawal } from './append-plan.ts'
import type { CallRecord } from './call.ts'
import { contentHash } from './content.ts'
import type { AttachedFile, Binding, EntryBody, CitationSource } from './entry.ts'
import { type ExportedFile, type ExportLine, invalidLine, readExportLine } from './export-line.ts'
import { importedHeadKey, type SessionStore, type Write } from './session-store.ts'
import { StoreError } from './store-error.ts'

export interface ImportOptions {
  /**
   * Another id for the session. Its calls are then named `AS.CALL`, so that they do not conflict with those of the original;
   * so are files whose ids are taken.
   */
  readonly as?: string
  /**
   * Ends unfinished turns of the export as cancelled at this time (ISO 8601). Otherwise they resume at the next start, with
   * the calls that they requested.
   */
  readonly endsTurnsAt?: string
}

/**
 * Writes an exported session, all of it or nothing, and returns its id. Its conversation is bound to it again when the
 * session keeps its id and no other session has that conversation meanwhile.
 *
 * Its files belong to it again, but an export has no bytes: their text is available, their images are not.
 *
 * The whole export is kept in memory. It is written in parts, between which other work runs.
 *
 * @throws StoreError `conflict` when there is a session, call or file of that id, `invalid` with the number of a line that
 * cannot be read, or for an odd id
 */
export async function importSession(
  store: SessionStore,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions = {},
): Promise<string> {
  const read = await readAll(store.clock, lines)
  const id = options.as ?? read.session.id
  refuseOddId(id)
  if (await store.session(id)) throw new StoreError('conflict', `There is a session ${id} already.`)
  const names = await createNames(store, read, id, options.as !== undefined)
  const { binding } = read.session
  const free = binding !== undefined && options.as === undefined && (await store.bound(binding)) === undefined
  await store.putSession(id, importWrites(read, id, names, { ...options, ...(free && { binding }) }))
  return id
}

function* importWrites(
  { entries, calls, files, contents }: Export,
  session: string,
  names: Names,
  { endsTurnsAt, binding }: ImportOptions & { readonly binding?: Binding },
): Generator<Write> {
  yield* appends(session, entries, names)
  yield* turnEnds(session, entries, endsTurnsAt)
  yield { type: 'value', key: importedHeadKey(session), value: entries.length }
  for (const record of calls) yield { type: 'call', record: renameCall(record, session, names) }
  for (const file of files) {
    yield { type: 'file', row: { ...file, id: names.file(file.id), owner: { type: 'session', id: session } } }
  }
  for (const text of contents) yield { type: 'content', text }
  if (binding) yield { type: 'binding', binding, session }
}

/** An id is used in URLs and in lines of a terminal. */
function refuseOddId(id: string): void {
  if (/^[^\s/\\\p{Cc}\p{Cf}]{1,200}$/u.test(id)) return
  throw new StoreError('invalid', `${JSON.stringify(id.slice(0, 200))} is not a session id.`, {
    hint: 'Use at most 200 characters, without whitespace, control characters and slashes.',
  })
}

type EntryLine = ExportLine & { type: 'entry' }

interface Export {
  readonly session: { readonly id: string; readonly binding?: Binding }
  readonly entries: readonly EntryLine[]
  readonly calls: readonly CallRecord[]
  readonly files: readonly ExportedFile[]
  readonly contents: readonly string[]
}

/** @throws StoreError `invalid` when something is missing, doubled or out of order */
async function readAll(clock: Clock, lines: AsyncIterable<string> | Iterable<string>): Promise<Export> {
  let session: Export['session'] | undefined
  let ended = false
  let line = 0
  const entries: EntryLine[] = []
  const calls: CallRecord[] = []
  const files: ExportedFile[] = []
  const contents: string[] = []
  const read = { entries, calls, files, contents }
  const work = timeSlice(clock)
  for await (const text of lines) {
    if (work.isOver()) await work.rest()
    line += 1
    if (text.trim() === '') continue
    const next = readExportLine(text, line)
    if (ended) throw invalidLine(line, 'it follows the end of the export')
    if ((session === undefined) !== (next.type === 'header')) {
      throw invalidLine(line, 'an export begins with one header and has no other')
    }
    switch (next.type) {
      case 'header':
        session = next.session
        break
      case 'entry':
        refuseGap(next, entries.length + 1, line)
        entries.push(next)
        break
      case 'call':
        calls.push(next.record)
        break
      case 'file':
        files.push(next.file)
        break
      case 'content':
        if (contentHash(next.text) !== next.hash) throw invalidLine(line, 'the text does not have this hash')
        contents.push(next.text)
        break
      case 'end':
        for (const kind of ['entries', 'calls', 'files', 'contents'] as const) {
          if (next[kind] === read[kind].length) continue
          throw invalidLine(line, `it counts ${next[kind]} ${kind}, but ${read[kind].length} were found`)
        }
        ended = true
    }
  }
  if (session && ended) return { session, ...read }
  throw invalidLine(line + 1, 'the export ends too early')
}

function refuseGap({ seq, body }: EntryLine, expected: number, line: number): void {
  if (seq !== expected) throw invalidLine(line, `entry ${expected} was expected here, not entry ${seq}`)
  if (seq === 1 && body.type !== 'session-start') throw invalidLine(line, 'the first entry has to be session-start')
}

function turnEnds(session: string, entries: readonly EntryLine[], time: string | undefined): Write[] {
  const open = new Set<string>()
  for (const { body } of entries) {
    if (body.type === 'input' || body.type === 'turn-start') open.add(body.turn)
    if (body.type === 'turn-end') open.delete(body.turn)
  }
  if (time === undefined || open.size === 0) return []
  const bodies = [...open].map((turn): EntryBody => ({ type: 'turn-end', turn, outcome: { type: 'cancelled' } }))
  return [{ type: 'append', session, bodies, time }]
}

/** So many entries at most are one write. */
const ENTRIES_OF_WRITE = 100

/** Entries that were written at the same time are written together again. */
function* appends(session: string, entries: readonly EntryLine[], names: Names): Generator<Write> {
  let bodies: EntryBody[] = []
  for (const [index, { time, body }] of entries.entries()) {
    bodies.push(renameBody(body, names))
    const next = entries[index + 1]
    if (next?.time === time && (bodies.length < ENTRIES_OF_WRITE || isWithdrawal(body, next.body))) continue
    yield { type: 'append', session, bodies, time }
    bodies = []
  }
}

/** The ids of imported calls and files. */
interface Names {
  call(call: string): string
  file(file: string): string
}

/**
 * Under another session id, calls get new ids; files keep theirs where they are free. An image that a message refers to and that
 * the export has no file of is never one of another session.
 */
async function createNames(
  store: SessionStore,
  { entries, files }: Export,
  id: string,
  renames: boolean,
): Promise<Names> {
  const own = new Set(files.map((file) => file.id))
  const named = new Set<string>()
  await inSlices(store.clock, entries, ({ body }) => {
    if ('attachments' in body) for (const { file } of body.attachments ?? []) named.add(file)
    if ('images' in body) for (const { file } of body.images ?? []) named.add(file)
    if ('message' in body) for (const file of storedImages(body.message)) named.add(file)
  })
  const taken = new Set<string>()
  for (const file of [...(renames ? own : []), ...named.difference(own)]) {
    if (await store.file(file)) taken.add(file)
  }
  return {
    call: (call) => (renames ? `${id}.${call}` : call),
    file: (file) => (taken.has(file) ? `${id}.${file}` : file),
  }
}

function renameBody(body: EntryBody, names: Names): EntryBody {
  const renamed = 'call' in body && body.call !== undefined ? { ...body, call: names.call(body.call) } : body
  const named = (source: CitationSource) => ({ ...source, document: names.file(source.document) })
  const moved = <File extends AttachedFile>(attached: File) => ({ ...attached, file: names.file(attached.file) })
  switch (renamed.type) {
    case 'input':
    case 'edit': {
      const { attachments } = renamed
      const message = renameImages(renamed.message, names)
      return { ...renamed, message, ...(attachments && { attachments: attachments.map(moved) }) }
    }
    case 'assembly':
      return renamed.sources ? { ...renamed, sources: renamed.sources.map(named) } : renamed
    case 'tool-end': {
      const { sources, images } = renamed
      return {
        ...renamed,
        ...(sources && { sources: sources.map(named) }),
        ...(images && { images: images.map(moved) }),
      }
    }
    case 'message': {
      const { citations } = renamed
      const message = renameImages(renamed.message, names)
      return { ...renamed, message, ...(citations && { citations: citations.map(named) }) }
    }
    default:
      return renamed
  }
}

function renameImages(message: Message, names: Names): Message {
  return changedParts(message, (part) => {
    const id = storedImage(part)
    return id === undefined ? part : { ...part, data: { type: 'reference', reference: { foreword: names.file(id) } } }
  })
}

function renameCall(record: CallRecord, session: string, names: Names): CallRecord {
  const { noteOf, images } = record.input as { readonly noteOf?: string; readonly images?: ImageSupport }
  const input = {
    ...(record.input as object),
    ...(noteOf !== undefined && { noteOf: names.call(noteOf) }),
    ...(images?.gone && { images: { ...images, gone: images.gone.map((file) => names.file(file)) } }),
  }
  return { ...record, id: names.call(record.id), session, input }
}
