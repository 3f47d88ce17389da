import { getCompileCacheDir } from 'node:module'
import type { Worker } from 'node:worker_threads'
import { type Clock, defined, inSlices, runnableFile } from '../../../platform.ts'
import { findCounter } from '../../models/counters.ts'
import {
  type AnalysedBody,
  type BodyAnalysis,
  type BodyToAnalyse,
  type BodyWork,
  type ComparedBodies,
  LARGE_BODY,
  type BodySearch,
} from './analysed-body.ts'

/** The thread ends after so long without work, ms, so that it keeps no memory. */
const IDLE_MS = 60_000

/** The same after a large body: what it needed goes with the thread. */
const IDLE_AFTER_LARGE_MS = 3_000

/** The longest that the thread needs to load on a busy machine, ms. */
const STARTING_MS = 60_000

/** Takes bodies apart in one thread for the whole process, or in this one where no thread can be started. */
export const analyst = (clock: Clock): BodyAnalysis => ({
  async take({ after, ...body }) {
    const rest = after && { ...body, after, bytes: body.bytes.subarray(after.same) }
    const known = rest && (await ask<AnalysedBody | undefined>(clock, { type: 'takeRest', body: rest }))
    return known ?? ask<AnalysedBody>(clock, { type: 'take', body })
  },
  contents: (id, hashes) => ask<readonly string[]>(clock, { type: 'contents', id, hashes }),
  compare: (before, after, search) =>
    ask<ComparedBodies | undefined>(clock, { type: 'compare', before, after, search }),
})

interface Thread {
  ask(work: AnalysisOrder['work']): Promise<unknown>
}

let thread: Promise<Thread> | undefined
let ownAnalysis: BodyWork | undefined

async function ask<Answer>(clock: Clock, work: AnalysisOrder['work']): Promise<Answer> {
  const known = await startedThread(clock)
  return (await (known ? known.ask(work) : performHere(clock, work))) as Answer
}

/** `undefined`: there can be none. */
async function startedThread(clock: Clock): Promise<Thread | undefined> {
  if (ownAnalysis) return undefined
  if (!thread) {
    const starting = startThread(clock, () => {
      if (thread === starting) thread = undefined
    })
    thread = starting
  }
  return thread.catch(() => undefined)
}

async function performHere(clock: Clock, work: AnalysisOrder['work']): Promise<unknown> {
  if (!ownAnalysis) {
    const { createBodyAnalysis } = await import('./body-analysis.ts')
    ownAnalysis ??= createBodyAnalysis(clock, findCounter)
  }
  if ('body' in work) return ownAnalysis[work.type](work.body)
  return work.type === 'contents'
    ? ownAnalysis.contents(work.id, work.hashes)
    : ownAnalysis.compare(work.before, work.after, work.search)
}

/** Resolves when the thread can begin. Rejects where it cannot. `retire`: it takes no more orders. */
async function startThread(clock: Clock, retire: () => void): Promise<Thread> {
  const { Worker: NodeWorker } = await import('node:worker_threads')
  // It keeps compiled code beside that of the process, and shares no variable with it.
  const NODE_COMPILE_CACHE = getCompileCacheDir()
  const worker = new NodeWorker(runnableFile(new URL('./analysis-thread.ts', import.meta.url)), {
    env: defined({ NODE_COMPILE_CACHE }),
    execArgv: [],
  })
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  const loaded = Promise.withResolvers<unknown>()
  open.set(0, loaded)
  let last = 0
  let idleMs = IDLE_MS
  let stopIdling: (() => void) | undefined

  function end(error: unknown): void {
    retire()
    stopIdling?.()
    for (const { reject } of open.values()) reject(error)
    open.clear()
  }
  worker.on('message', (news: AnalysisNews) => {
    const asked = open.get(news.number)
    open.delete(news.number)
    if (open.size === 0) rest()
    if ('fault' in news) asked?.reject(new Error(news.fault))
    else asked?.resolve(news.value)
  })
  worker.once('error', end)
  worker.once('exit', () => end(new Error('the thread that takes calls apart has ended')))

  function rest(): void {
    worker.unref()
    stopIdling?.()
    const leave = () => {
      // The next order finds no thread, and starts one.
      retire()
      void worker.terminate()
    }
    stopIdling = clock.timer(idleMs, leave, { idle: true })
  }

  const stopWaiting = clock.timer(STARTING_MS, () =>
    loaded.reject(new Error('the thread that takes calls apart does not start')),
  )
  try {
    await loaded.promise
  } catch (error) {
    void worker.terminate()
    throw error
  } finally {
    stopWaiting()
  }
  return {
    ask(work) {
      stopIdling?.()
      worker.ref()
      last += 1
      if ('body' in work && work.body.bytes.byteLength > LARGE_BODY) idleMs = IDLE_AFTER_LARGE_MS
      const asked = Promise.withResolvers<unknown>()
      open.set(last, asked)
      send(clock, worker, { number: last, work }).catch(asked.reject)
      return asked.promise
    },
  }
}

/** Bytes are copied once: the call itself needs them where they are. */
async function send(clock: Clock, worker: Worker, order: AnalysisOrder): Promise<void> {
  const { number, work } = order
  if ('body' in work) {
    const bytes = new Uint8Array(work.body.bytes.byteLength)
    const starts = Array.from({ length: Math.ceil(bytes.byteLength / COPIED) }, (_, index) => index * COPIED)
    await inSlices(clock, starts, (at) => bytes.set(work.body.bytes.subarray(at, at + COPIED), at))
    const body: BodyToAnalyse = { ...work.body, bytes }
    worker.postMessage({ number, work: { ...work, body } }, [bytes.buffer])
  } else {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    worker.postMessage(order)
  }
}

/** Bytes that are copied at once. */
const COPIED = 1024 * 1024

/** What the thread is asked: one method of `BodyWork` with its arguments. */
export interface AnalysisOrder {
  readonly number: number
  readonly work:
    | { readonly type: 'take' | 'takeRest'; readonly body: BodyToAnalyse }
    | { readonly type: 'contents'; readonly id: string; readonly hashes: readonly string[] }
    | {
        readonly type: 'compare'
        readonly before: string
        readonly after: string
        readonly search?: BodySearch | undefined
      }
}

/** The answer to the order of this number; 0: the thread has loaded. */
export type AnalysisNews =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly fault: string }
