import { join } from 'node:path'
import type { TokenCounter } from '../../context.ts'
import { createDocumentReader, type DocumentReader } from '../../document.ts'
import type { Embedder, MeaningSettings, SearchEngine } from '../../search.ts'
import { openBlobs, type SessionStore } from '../../session.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createLibrary, type Library, type LibraryLimits } from './library.ts'

/** Files and their index, opened when somebody needs them. */
export interface FileRoom {
  readonly library: Library
  readonly engine: () => Promise<SearchEngine>
  /** The embedding model, and why it could not be used when it was asked last. Absent where none is configured. */
  meaning(): Promise<MeaningStatus | undefined>
  /** Reads and indexes what a former process had not. */
  recover(): Promise<void>
  close(): Promise<void>
}

export interface MeaningStatus {
  /** Of the embedding model, with everything that changes its vectors. */
  readonly embedder: string
  readonly degraded?: string
}

export interface FileRoomOptions {
  readonly store: SessionStore
  /** Folder of the gateway's data, absolute. */
  readonly data: string
  readonly clock: Clock
  readonly counter: TokenCounter
  /** 50 MiB and 1,000,000 tokens unless given. */
  readonly limits?: LibraryLimits
  /** Closed with the room. One of its own unless given. */
  readonly reader?: DocumentReader
  readonly embedder?: Embedder
  readonly meaning?: MeaningSettings
  readonly readOnly?: boolean
  readonly warn: (text: string) => void
}

const defaults: LibraryLimits = { maxBytes: 50 * 1024 * 1024, maxTokens: 1_000_000 }

export function openFileRoom(options: FileRoomOptions): FileRoom {
  const { store, data, clock, counter, limits = defaults, embedder, meaning, readOnly = false, warn } = options
  const stopped = new AbortController()
  let opening: Promise<SearchEngine> | undefined
  const engine = () => (opening ??= open())

  async function open(): Promise<SearchEngine> {
    const { openSqliteSearch } = await import('../../search.ts')
    return openSqliteSearch({
      path: join(data, 'search.sqlite'),
      readOnly,
      onWarning: warn,
      ...(embedder ? { embedder } : {}),
      ...(meaning ? { meaning } : {}),
    })
  }

  /** Vectors catch up behind the words; one run at a time, and one more where files came meanwhile. */
  let embedding: Promise<void> = Promise.resolve()
  function embed(): void {
    if (!embedder) return
    embedding = embedBehind(embedding)
  }

  async function embedBehind(before: Promise<void>): Promise<void> {
    await before
    if (stopped.signal.aborted) return
    try {
      await (await engine()).embedMissing({ signal: stopped.signal })
    } catch (error) {
      if (!stopped.signal.aborted) warn(`Passages are found by their words alone: ${messageOf(error)}`)
    }
  }

  let recovering: Promise<void> = Promise.resolve()
  async function recover(): Promise<void> {
    const { length } = await store.files()
    if (length === 0 || stopped.signal.aborted) return
    try {
      // Known before anything else is asked, so that whoever closes finds it. What it fails with, the library says.
      await engine().catch(() => {})
      if (stopped.signal.aborted) return
      await library.recover()
    } catch (error) {
      // Who closes in the midst of it leaves the rest to the next start.
      if (stopped.signal.aborted) return
      throw error
    }
    embed()
  }

  const library = createLibrary({
    onIndexed: embed,
    store,
    blobs: openBlobs(join(data, 'files')),
    reader: options.reader ?? createDocumentReader({ limits: { bytes: limits.maxBytes }, counter: counter.id }),
    engine,
    clock,
    counter,
    limits,
    warn,
  })
  return {
    library,
    engine,
    async meaning() {
      if (!embedder) return undefined
      const index = await opening?.catch(() => undefined)
      const { degraded } = (await index?.progress([])) ?? {}
      return { embedder: embedder.id, ...(degraded === undefined ? {} : { degraded }) }
    },
    recover: () => (recovering = recover()),
    async close() {
      stopped.abort()
      await library.close()
      await embedding
      // It ends what the recovery asks of the index; only then is nobody left who reads the store.
      const index = await opening?.catch(() => undefined)
      await index?.close()
      await recovering.catch(() => {})
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
