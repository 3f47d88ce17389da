import { audioTokens, imageTokens, numberText, type TokenCounter } from '../../context.ts'
import type { Document, DocumentReader, Unreadable } from '../../document.ts'
import type { SearchEngine } from '../../search.ts'
import {
  type BlobStore,
  type FileOwner,
  type FileRow,
  type FileState,
  fileMediaType,
  readReferredContent,
  type SessionStore,
} from '../../session.ts'
import { type Clock, type FileLibrary, inbox, type PersonRoom, RuntimeError } from '../../capability.ts'
import { counterKey, runtimeFailure, textTokens } from '../../runtime.ts'
import { fileRoom, requireRoom } from './file-room.ts'
import {
  defined,
  errorMessage,
  fairTurns,
  fileLabel,
  serialQueue,
  sha256,
  SIGNATURE_BYTES,
  signatureType,
} from '../../platform.ts'

interface LibraryParts {
  readonly store: SessionStore
  readonly blobs: BlobStore
  readonly reader: DocumentReader
  readonly engine: () => Promise<SearchEngine>
  readonly clock: Clock
  readonly counter: TokenCounter
  readonly limits: LibraryLimits
  readonly room: () => PersonRoom
  readonly warn: (text: string) => void
  /** The words of one more file can be found. */
  readonly onIndexed?: () => void
}

export interface LibraryLimits {
  readonly maxBytes: number
  /** Of the text of one file, tokens. */
  readonly maxTokens: number
}

/** Files that are read at the same time, and of these the most of one caller. */
const SIDE_BY_SIDE = 3
const OF_ONE = 2

export function createLibrary(parts: LibraryParts): FileLibrary {
  const { store, blobs, clock, limits, room, warn } = parts
  const turns = fairTurns(SIDE_BY_SIDE, clock, OF_ONE)
  const working = new Set<Promise<void>>()
  const listeners = new Map<string, Set<() => void>>()
  const stopped = new AbortController()
  /** One file after another, so that two never take the same room. */
  const entrance = serialQueue()

  async function file(id: string): Promise<FileRow> {
    const row = await store.file(id)
    if (row) return withMediaType(row)
    const hint = 'List them with `foreword files`.'
    throw new RuntimeError('not-found', `No file has the id ${id}.`, { file: id }, { hint })
  }

  /** `turnOf`: whose turn it takes; absent for files of an earlier process. */
  function enqueue(row: FileRow, turnOf = collectionName(row.owner)): void {
    const work = readInTurn(row, turnOf)
      .catch((error: unknown) => {
        // A reading that was stopped is no failure: the file is read at the next start.
        if (!stopped.signal.aborted) warn(`The file ${row.name} (${row.id}) was not read: ${errorMessage(error)}`)
      })
      .finally(() => working.delete(work))
    working.add(work)
  }

  /** The files of one caller wait in their order, and not behind all files of another. */
  async function readInTurn(row: FileRow, turnOf: string): Promise<void> {
    const turn = await turns.take(turnOf, stopped.signal)
    let overran = false
    try {
      overran = await process(row, turnOf)
    } finally {
      turn.end(overran)
    }
  }

  /** Whether reading the file took too long. What was read before is only indexed. */
  async function process(row: FileRow, turnOf: string): Promise<boolean> {
    const { signal } = stopped
    if (row.state.type === 'ready') {
      await index(await parts.engine(), row)
      return false
    }
    const found = await parts.reader.read({
      path: await blobs.local(row.hash),
      name: row.name,
      owner: turnOf,
      signal,
    })
    const overran = found.kind === 'unreadable' && found.code === 'timeout'
    if (signal.aborted) return overran
    const state = await fileState(parts, found)
    if (await store.file(row.id)) {
      await store.setFileState(row.id, state)
      tell(row.id)
      const { engine } = parts
      if (state.type === 'ready') await index(await engine(), { ...row, state })
    }
    return overran
  }

  async function index(engine: SearchEngine, row: FileRow): Promise<void> {
    const { state } = row
    if (state.type !== 'ready' || !('content' in state.reading)) return
    const { reading } = state
    const found = await text(row)
    if (found === undefined) return
    await engine.index({
      id: row.id,
      title: row.name,
      collections: [collectionName(row.owner)],
      digest: indexDigest(row),
      text: found,
      updated: row.time,
      ...(reading.kind === 'text' && reading.pages ? { pages: reading.pages } : {}),
    })
    // Meanwhile the file may have another owner, or be removed.
    const now = await store.file(row.id)
    if (!now) return void (await engine.remove(row.id))
    if (collectionName(now.owner) !== collectionName(row.owner))
      await engine.assign(row.id, [collectionName(now.owner)])
    // It may have been read again meanwhile, as something else.
    if (now.state.type !== 'ready' || now.state.reading.kind !== reading.kind) return
    await store.setFileState(row.id, { type: 'ready', reading: { ...reading, indexed: true } })
    parts.onIndexed?.()
  }

  async function text({ state }: FileRow): Promise<string | undefined> {
    if (state.type !== 'ready' || !('content' in state.reading)) return undefined
    return readReferredContent(store, state.reading.content)
  }

  /** Updates the index to the files in the store: it may be new or old, or have files that were removed meanwhile. */
  async function reconcile(engine: SearchEngine): Promise<number> {
    const known = new Map((await engine.documents()).map((document) => [document.id, document]))
    let indexed = 0
    for (const row of await store.files({ state: 'ready' })) {
      const found = known.get(row.id)
      known.delete(row.id)
      if (stopped.signal.aborted || !(row.state.type === 'ready' && row.state.reading.kind !== 'image')) continue
      if (found?.digest !== indexDigest(row)) {
        await index(engine, row)
        indexed += 1
      } else if (found.collections.join() !== collectionName(row.owner)) {
        await engine.assign(row.id, [collectionName(row.owner)])
      }
    }
    for (const id of known.keys()) if (!(await store.file(id))) await engine.remove(id)
    return indexed
  }

  /** The file of the same owner, name and bytes, if its text was read: for an unreadable file, a new attempt may succeed. */
  async function findTwin({
    hash,
    name,
    owner,
  }: Pick<FileRow, 'hash' | 'name' | 'owner'>): Promise<FileRow | undefined> {
    if (owner.id === inbox.id) return undefined
    const same = await store.files({ hash, owner })
    return same.find((row) => row.name === name && row.state.type !== 'failed')
  }

  async function removedOwners(rows: readonly FileRow[]): Promise<ReadonlySet<string>> {
    const owners = new Map(rows.map(({ owner }) => [collectionName(owner), owner]))
    const removed = new Set<string>()
    for (const [name, { type, id }] of owners) {
      if (type !== 'session' && (await store.record(type, id))?.value === null) removed.add(name)
    }
    return removed
  }

  async function isNeeded(hash: string): Promise<boolean> {
    return (await store.files({ hash })).length > 0
  }

  function tell(id: string): void {
    for (const listener of listeners.get(id) ?? []) listener()
    listeners.delete(id)
  }

  return {
    file,
    text,
    async add({ name: given, bytes, owner, state, by = collectionName(owner) }) {
      const name = fileLabel(given)
      if (name === '' || name.length > 500) {
        throw new RuntimeError('invalid-input', 'A file needs a name of at most 500 characters.')
      }
      try {
        let row: FileRow | undefined
        let twin: FileRow | undefined
        // Nothing is received where there is no room at all.
        requireRoom(await fileRoom(store, room()), { name, bytes: 1 })
        const watched = watchBeginning(bytes)
        await blobs.put(watched.bytes, {
          maxBytes: limits.maxBytes,
          keep: async ({ hash, bytes: size }) => {
            twin = await findTwin({ hash, name, owner })
            if (twin) return
            const next = newRow(clock, { name, owner, hash, bytes: size }, state)
            await entrance.add(async () => {
              requireRoom(await fileRoom(store, room()), next)
              await store.putFile(next)
            })
            row = next
          },
        })
        if (twin) return { ...withMediaType(twin), repeated: true }
        if (!row) throw new Error('its bytes were not noted')
        // What is to be unpacked can take long: a plain text of the same caller does not wait behind it.
        if (row.state.type === 'processing')
          enqueue(row, signatureType(watched.beginning()) === undefined ? by : `unpacked ${by}`)
        return row
      } catch (error) {
        throw runtimeFailure(error)
      }
    },
    async files(owner) {
      const rows = await store.files(owner ? { owner } : {})
      const removed = await removedOwners(rows)
      return rows.filter((row) => !removed.has(collectionName(row.owner))).map(withMediaType)
    },
    async settled(id, signal) {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>()
        listeners.set(id, (listeners.get(id) ?? new Set()).add(resolve))
        const row = await file(id)
        if (row.state.type !== 'processing' || signal?.aborted) return row
        signal?.addEventListener('abort', () => resolve(), { once: true })
        await promise
      }
    },
    async bytes(row) {
      return blobs.read(row.hash)
    },
    async give(id, owner) {
      await file(id)
      await store.setFileOwner(id, owner)
      const engine = await parts.engine()
      await engine.assign(id, [collectionName(owner)])
    },
    async copy(row, owner) {
      const same = await store.files({ hash: row.hash, owner, state: 'ready' })
      const id = `file_${sha256(`${collectionName(owner)} ${row.id}`).slice(0, 12)}`
      const copied = { ...row, id, owner, time: clock.time(), state: unindexed(row.state) }
      return same.find(({ name }) => name === row.name) ?? copied
    },
    async keep(row) {
      if (await store.file(row.id)) return
      await store.putFile(row)
      enqueue(row)
    },
    async remove(id) {
      const row = await file(id)
      await store.deleteFile(id)
      tell(id)
      await (await parts.engine()).remove(id)
      await blobs.remove(row.hash, isNeeded)
    },
    async recover() {
      const unread = await store.files({ state: 'processing' })
      for (const row of unread) enqueue(row)
      const indexed = await reconcile(await parts.engine())
      await blobs.sweep(isNeeded)
      return unread.length + indexed
    },
    idle: () => (working.size > 0 ? Promise.all(working) : undefined),
    async close() {
      stopped.abort()
      await parts.reader.close()
      await Promise.all(working)
    },
  }
}

function newRow(
  clock: Clock,
  given: Pick<FileRow, 'name' | 'owner' | 'hash' | 'bytes'>,
  state: FileState = { type: 'processing' },
): FileRow {
  return { id: clock.newId('file'), time: clock.time(), mediaType: 'application/octet-stream', ...given, state }
}

/** Files belong to sessions, and to records of the kind that has the name of a choice. */
export function fileOwner(type: string, id: string): FileOwner {
  return { type: type as FileOwner['type'], id }
}

/** The bytes as they come, and the first of them once they have come. */
function watchBeginning(bytes: AsyncIterable<Uint8Array>) {
  let beginning = Buffer.alloc(0)
  return {
    beginning: () => beginning,
    bytes: (async function* () {
      for await (const part of bytes) {
        const missing = SIGNATURE_BYTES - beginning.length
        if (missing > 0) beginning = Buffer.concat([beginning, part.subarray(0, missing)])
        yield part
      }
    })(),
  }
}

/** The collection of the index for the files of an owner: whatever may see a file may search its collection. */
export function collectionName({ type, id }: FileOwner): string {
  return `${type}/${id}`
}

async function fileState(
  { store, clock, counter, limits }: LibraryParts,
  found: Document | Unreadable,
): Promise<FileState> {
  if (found.kind === 'unreadable') return { type: 'failed', code: found.code, reason: found.reason }
  if (found.kind === 'image') {
    const { mediaType, width = 0, height = 0 } = found
    const size = width === 0 || height === 0 ? {} : { width, height }
    return { type: 'ready', reading: { kind: 'image', mediaType, ...size, tokens: imageTokens(width, height) } }
  }
  if (found.kind === 'audio') {
    const { mediaType, seconds, bytes } = found
    const tokens = audioTokens(seconds, bytes)
    return { type: 'ready', reading: { kind: 'audio', mediaType, ...defined({ seconds }), tokens } }
  }
  const { mediaType, text } = found
  const content = `sha256:${await store.putContent(text)}`
  const characters = text.length
  if (found.kind === 'table') {
    return { type: 'ready', reading: { kind: 'table', mediaType, content, characters, sheets: found.sheets } }
  }
  const tokens = found.tokens ?? (await textTokens(clock, counter, text))
  if (tokens > limits.maxTokens) {
    const reason = `It has ${numberText(tokens)} tokens; the most is ${numberText(limits.maxTokens)}. Split it into smaller files.`
    return { type: 'failed', code: 'too-many-tokens', reason }
  }
  const pages = found.pages ? { pages: found.pages } : {}
  return {
    type: 'ready',
    reading: { kind: 'text', mediaType, content, characters, tokens, counter: counterKey(counter), ...pages },
  }
}

/** As a copy is kept, whose words are not in the index yet. */
export function unindexed(state: FileState): FileState {
  if (state.type !== 'ready' || !('content' in state.reading)) return state
  return { type: 'ready', reading: { ...state.reading, indexed: false } }
}

function withMediaType(row: FileRow): FileRow {
  return { ...row, mediaType: fileMediaType(row) }
}

/** The version of an indexed file: its bytes and its reader. */
function indexDigest({ hash, state }: FileRow): string {
  return state.type === 'ready' && state.reading.kind === 'table' ? `${hash}-table` : hash
}
