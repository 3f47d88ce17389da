import { setPriority } from 'node:os'
import process from 'node:process'
import { Worker } from 'node:worker_threads'
import { smallCounters } from '../context.ts'
import type { Document, Unreadable } from './document.ts'
import { readBytes } from './read-bytes.ts'
import { LONG_TEXT, textChunks } from '../platform.ts'
import { errorExit, processorMs, type ReadingNews, type ReadingOrder } from './reading-task.ts'

/** The program of a reading process: gets orders over the channel to its parent, and ends with that channel. */
let pieces: Uint8Array[] = []
let watch: Worker | undefined
const deadline = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(Infinity)

process.on('message', (order: ReadingOrder) => {
  if (order.type === 'bytes') pieces.push(order.bytes)
  else void read(order)
})
process.on('disconnect', () => process.exit())
process.on('uncaughtException', () => process.exit(errorExit))
try {
  // Everything else on the machine goes first.
  setPriority(10)
} catch {
  // Some systems do not allow it.
}

async function read({ task }: ReadingOrder & { readonly type: 'read' }): Promise<void> {
  watch ??= startedWatch(task.limits.memoryBytes)
  deadline[0] = processorMs() + (task.timeMs ?? Infinity)
  const handed = pieces
  pieces = []
  try {
    const said = await readBytes(Buffer.concat(handed), {
      ...task,
      onKind: (mediaType) => tell({ type: 'kind', mediaType }),
      onProgress: (progress) => tell({ type: 'progress', progress }),
    })
    const outcome = task.counter === undefined ? said : await counted(said, task.counter)
    const spent = process.memoryUsage.rss() > task.limits.memoryBytes / 2
    tell({ type: 'outcome', outcome: 'text' in outcome ? tellText(outcome) : outcome, spent })
  } catch (error) {
    tell({ type: 'failed', message: (error as Error).message })
  } finally {
    deadline[0] = Infinity
  }
}

/** Hands the text on in pieces: what the parent takes apart at once blocks everything else there. */
function tellText<Outcome extends { readonly text: string }>(outcome: Outcome): Outcome {
  for (const text of textChunks(outcome.text, LONG_TEXT)) tell({ type: 'text', text })
  return { ...outcome, text: '' }
}

/** A text with its tokens; without them where the counter is unknown here. */
async function counted(said: Document | Unreadable, counter: string): Promise<Document | Unreadable> {
  if (said.kind !== 'text') return said
  // The table of this one needs tens of megabytes.
  const large = counter === 'o200k' ? (await import('../context/o200k.ts')).o200k : undefined
  const found = large ?? smallCounters.find(({ id }) => id === counter)
  return found ? { ...said, tokens: found.text(said.text) } : said
}

function tell(news: ReadingNews): void {
  process.send?.(news)
}

function startedWatch(memoryBytes: number): Worker {
  const file = new URL('./memory-watch.ts', import.meta.url)
  const thread = new Worker(import.meta.url.endsWith('.ts') ? file : new URL(file.href.replace(/\.ts$/, '.js')), {
    workerData: { memoryBytes, parent: process.ppid, deadline },
  })
  thread.unref()
  return thread
}
