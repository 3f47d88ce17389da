import { join } from 'node:path'
import { type Clock, type FileLibrary, RuntimeError, type OfOwner, type PersonRoom } from '../../capability.ts'
import type { TokenCounter } from '../../context.ts'
import { createDocumentReader, type DocumentReader } from '../../document.ts'
import { defined, errorMessage, fairTurns, once, serialQueue } from '../../platform.ts'
import type { Embedder, IndexProgress, MeaningSettings, SearchAnswer, SearchEngine, SearchQuery } from '../../search.ts'
import { type FileOwner, type FileRow, openBlobs, type SessionStore } from '../../session.ts'
import { confineNode } from '../../tool.ts'
import { fileRoom, type FileRoom } from './file-room.ts'
import { collectionName, createLibrary, type LibraryLimits } from './library.ts'
import { copySharedFiles } from './shared-files.ts'

/** Files that people hand in, and their index, which is opened at the first use. */
export interface FileService extends FileLibrary {
  /** For a person: searches all files, or those of one owner. Rejects with `storage` if the index cannot be read. */
  search(query: FileSearch): Promise<FileSearchAnswer>
  /** For a tool: searches the collections that its session may see. */
  find(query: SearchQuery): Promise<SearchAnswer>
  engine(): Promise<SearchEngine>
  /** `undefined` if none is configured. */
  meaning(): Promise<MeaningStatus | undefined>
  /** The files that are there, and how many there may be; `undefined`: any number. */
  room(): Promise<FileRoom | undefined>
  /** Why the last call of the embedding model failed; empty if it succeeded. */
  warnings(): readonly string[]
}

interface FileSearch {
  readonly text: string
  /** Only files of this owner. Default: every file. */
  readonly owner?: FileOwner | undefined
  readonly limit?: number
  /** Default: both. */
  readonly by?: SearchQuery['by']
}

export interface FileSearchAnswer extends SearchAnswer {
  readonly progress: IndexProgress
}

export interface MeaningStatus {
  readonly embedder: string
  readonly degraded?: string
}

interface FileServiceOptions {
  readonly store: SessionStore
  /** Folder of the gateway's data, absolute. */
  readonly data: string
  readonly clock: Clock
  readonly counter: TokenCounter
  /** Default: 50 MiB and 1,000,000 tokens. */
  readonly limits?: LibraryLimits
  /** How much of the disk there is for files, in the home of a person. Default: all of it. */
  readonly room?: (() => PersonRoom) | undefined
  /** Closed with the service. Default: a new one. */
  readonly reader?: DocumentReader
  readonly embedder?: Embedder
  readonly meaning?: MeaningSettings
  readonly readOnly?: boolean
  /** What the owner of the gateway shares, in the home of a person. */
  readonly shared?: OfOwner | undefined
  readonly warn: (text: string) => void
}

/** Files that are read at once in all homes of this process, and of these the most of one home. */
const READERS = 4
const READERS_OF_ONE = 3
const readers = new WeakMap<Clock, ReturnType<typeof fairTurns>>()

/** The homes of people are read for side by side: a thousand files of one keep no file of another waiting. */
function readingTurns(clock: Clock): ReturnType<typeof fairTurns> {
  const turns = readers.get(clock) ?? fairTurns(READERS, clock, READERS_OF_ONE)
  readers.set(clock, turns)
  return turns
}

const noLimits = (): PersonRoom => ({})
const usualLimits: LibraryLimits = { maxBytes: 50 * 1024 * 1024, maxTokens: 1_000_000 }

export function openFileService(options: FileServiceOptions): FileService {
  const {
    store,
    data,
    clock,
    counter,
    limits = usualLimits,
    room = noLimits,
    embedder,
    meaning,
    readOnly = false,
    warn,
  } = options
  const stopped = new AbortController()
  let opening: Promise<SearchEngine> | undefined
  let degraded: string | undefined
  const engine = () => (opening ??= open())

  async function open(): Promise<SearchEngine> {
    const { openSqliteSearch } = await import('../../search.ts')
    const path = join(data, 'search.sqlite')
    return openSqliteSearch({ path, clock, readOnly, onWarning: warn, ...defined({ embedder, meaning }) })
  }

  async function find(query: SearchQuery): Promise<SearchAnswer> {
    const found = await (await engine()).search(query)
    if (query.by !== 'words') await lookAtMeaning()
    return found
  }

  async function lookAtMeaning(): Promise<void> {
    const index = embedder && (await opening?.catch(() => undefined))
    degraded = (await index?.progress([]))?.degraded
  }

  /** One run at a time, and one more where files came meanwhile: vectors follow after the words. */
  const embedding = serialQueue()
  function embed(): void {
    if (embedder) void embedding.add(embedMissing)
  }

  async function embedMissing(): Promise<void> {
    if (stopped.signal.aborted) return
    try {
      degraded = (await (await engine()).embedMissing({ signal: stopped.signal })).degraded
    } catch (error) {
      if (stopped.signal.aborted) return
      warn(`Passages are found by their words alone: ${errorMessage(error)}`)
      await lookAtMeaning().catch(() => {})
    }
  }

  let recovering: Promise<number> | undefined
  async function recover(): Promise<number> {
    const { length } = await store.files()
    if (length === 0 || stopped.signal.aborted) return 0
    try {
      // Opened before anything else is asked, so that `close` finds it. The library reports what it fails with.
      await engine().catch(() => {})
      if (stopped.signal.aborted) return 0
      const recovered = await library.recover()
      embed()
      return recovered
    } catch (error) {
      // Closed in the middle: the next start does the rest.
      if (stopped.signal.aborted) return 0
      throw error
    }
  }

  const blobs = openBlobs(join(data, 'files'), store.bytes)
  const library = createLibrary({
    onIndexed: embed,
    store,
    blobs,
    reader:
      options.reader ??
      createDocumentReader({
        clock,
        limits: { bytes: limits.maxBytes },
        counter: counter.id,
        confine: confineNode,
        turnAmongOthers: (signal) => readingTurns(clock).take(data, signal, room().readersAtOnce),
      }),
    engine,
    clock,
    counter,
    limits,
    room,
    warn,
  })

  const copies = options.shared && copySharedFiles({ shared: options.shared, store, blobs, library })

  /** Of somebody, or all: what is shared is as the owner has it now. */
  async function files(owner?: FileOwner): Promise<readonly FileRow[]> {
    const rows = await library.files(owner)
    if (!copies) return rows
    const owners = owner ? [owner] : rows.map((row) => row.owner)
    let isChanged = false
    for (const each of new Map(owners.map((one) => [collectionName(one), one])).values())
      isChanged = (await copies.bring(each)) || isChanged
    return isChanged ? library.files(owner) : rows
  }

  async function file(id: string): Promise<FileRow> {
    const row = await library.file(id)
    return (await copies?.bring(row.owner)) ? library.file(id) : row
  }

  async function search({ text, owner, limit = 10, by }: FileSearch): Promise<FileSearchAnswer> {
    const found = await files(owner)
    const nothing = { hits: [], progress: { documents: found.length, indexed: 0, chunks: 0, embedded: 0 } }
    if (found.length === 0) return nothing
    const collections = [...new Set(found.map((row) => collectionName(row.owner)))]
    try {
      const index = await engine()
      const [answer, progress] = await Promise.all([
        find({ text, collections, limit, ...defined({ by }) }),
        index.progress(collections),
      ])
      return { ...answer, progress }
    } catch (error) {
      const { SearchError } = await import('../../search.ts')
      if (!(error instanceof SearchError)) throw error
      if (error.code === 'not-found') return nothing
      throw new RuntimeError('storage', error.message, { index: error.code }, { cause: error })
    }
  }

  return {
    ...library,
    file,
    files,
    search,
    find,
    engine,
    async meaning() {
      if (!embedder) return undefined
      await lookAtMeaning()
      return { embedder: embedder.id, ...defined({ degraded }) }
    },
    room: () => fileRoom(store, room()),
    warnings: () => (degraded === undefined ? [] : [`Files are searched by words alone: ${degraded}`]),
    recover: () => (recovering = recover().finally(() => (recovering = undefined))),
    idle: () => recovering ?? library.idle() ?? embedding.idle(),
    close: once(async () => {
      stopped.abort()
      await library.close()
      await embedding.idle()
      // Closing the index ends what the recovery asks of it; after that nothing reads the store any more.
      const index = await opening?.catch(() => undefined)
      await index?.close()
      await recovering?.catch(() => {})
    }),
  }
}
