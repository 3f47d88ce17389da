import { type KnownSecrets, timeSlice } from '../platform.ts'
import { contentHash, contentReferences } from './content.ts'
import type { Entry } from './entry.ts'
import type { CallRecord } from './call.ts'
import { StoreError } from './store-error.ts'
import type { SessionStore } from './session-store.ts'

/** The version of the format, not of the store. */
const EXPORT_VERSION = 1
const PAGE = 500

/**
 * Exports a session as JSON Lines, without the line ends: a header, the entries, the calls, the rows of its files, every
 * text that these refer to by hash, and a last line that counts them, so that a truncated file is detected. The bytes of its
 * files are not exported, nor is what is written while the export runs. Without the `secrets`, if any are given.
 *
 * @throws StoreError `not-found`
 */
export async function* exportSession(
  store: SessionStore,
  id: string,
  secrets?: Pick<KnownSecrets, 'redact'>,
): AsyncGenerator<string> {
  const cleaned = secrets && redactedExport(store, secrets.redact)
  for await (const line of exactExport(store, id)) yield cleaned ? await cleaned(line) : line
}

/** Takes secrets out of lines. A text that had one is another text from then on, and is referred to by another hash. */
function redactedExport(store: SessionStore, redact: (text: string) => string): (line: string) => Promise<string> {
  const changed = new Map<string, string>()
  const unchanged = new Set<string>()
  return async (line) => {
    for (const hash of contentReferences(line)) {
      if (changed.has(hash) || unchanged.has(hash)) continue
      const text = await store.content(hash)
      const clean = text === undefined ? undefined : redact(text)
      if (clean === undefined || clean === text) unchanged.add(hash)
      else changed.set(hash, contentHash(clean))
    }
    const content = line.startsWith('{"content":')
      ? (JSON.parse(line) as { content: { hash: string; text: string } }).content
      : undefined
    if (content) {
      const hash = changed.get(content.hash)
      return hash === undefined ? line : toLine({ content: { hash, text: redact(content.text) } })
    }
    let clean = line
    for (const [before, after] of changed) clean = clean.replaceAll(`sha256:${before}`, `sha256:${after}`)
    return redact(clean)
  }
}

async function* exactExport(store: SessionStore, id: string): AsyncGenerator<string> {
  const session = await store.session(id)
  if (!session) throw new StoreError('not-found', `there is no session ${id} to export`)
  yield toLine({ foreword: 'session', version: EXPORT_VERSION, session })

  const mentioned = new Set<string>()
  const work = timeSlice(store.clock)
  for await (const entry of allEntries(store, id, session.entries)) {
    if (work.isOver()) await work.rest()
    const { session: _, seq, time, ...body } = entry
    yield noteReferences(mentioned, { entry: { seq, time, ...body } })
  }
  let calls = 0
  for await (const { session: _, ...call } of allCalls(store, id, session.entries)) {
    if (work.isOver()) await work.rest()
    calls += 1
    yield noteReferences(mentioned, { call: call.foreign ? withoutPlaces(call) : call })
  }
  const files = await store.files({ owner: { type: 'session', id } })
  for (const { owner: _, ...file } of files) yield noteReferences(mentioned, { file })
  let contents = 0
  for (const hash of mentioned) {
    const text = await store.content(hash)
    if (text === undefined) continue
    if (work.isOver()) await work.rest()
    contents += 1
    yield toLine({ content: { hash, text } })
  }
  yield toLine({ end: { entries: session.entries, calls, files: files.length, contents } })
}

/**
 * A call of another program without the folders of its machine. Its body stays here: it has ids of devices, paths and hashes of
 * commits in it, and the export does not follow the references in the list of its parts.
 */
function withoutPlaces<Call extends Pick<CallRecord, 'manifest'>>(call: Call): Call {
  const manifest = JSON.stringify(call.manifest).replaceAll(
    /(?<=["\s“(])(?:[A-Za-z]:)?(?:(?:\/|\\\\)[^\s"“”/\\]+){2,}/g,
    (path) => `…/${path.split(/[/\\]/).at(-1)}`,
  )
  return { ...call, manifest: JSON.parse(manifest) as CallRecord['manifest'] }
}

function noteReferences(mentioned: Set<string>, line: unknown): string {
  const json = toLine(line)
  for (const hash of contentReferences(json)) mentioned.add(hash)
  return json
}

/** Many readers, Node's among them, treat U+2028 and U+2029 as the end of a line. */
function toLine(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`)
}

async function* allEntries(store: SessionStore, id: string, upTo: number): AsyncGenerator<Entry> {
  for (let after = 0; after < upTo; after += PAGE) yield* await store.entries(id, { after, upTo, limit: PAGE })
}

async function* allCalls(store: SessionStore, id: string, upTo: number): AsyncGenerator<CallRecord> {
  let after: string | undefined
  for (;;) {
    const page = await store.calls(id, { limit: PAGE, ...(after !== undefined && { after }) })
    for (const call of page) if ((call.upTo ?? 0) <= upTo) yield call
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}
