import { fairTurns, runnableFile, systemClock as clock } from '../../platform.ts'
import type { Schema, SchemaAnswer } from './schema-check.ts'
import type { SchemaNews, SchemaOrder } from './schema-thread.ts'

/** The longest that one schema is compiled, and that one input is checked by it, ms of a processor. */
const COMPILING_MS = 2_000
const CHECKING_MS = 1_000

/** How many times as long either may take by the clock: on a busy machine the thread waits for a processor. */
const BUSY = 60

/** What one owner may use of the thread, ms of a processor: it counts half after a minute. */
const OWNER_MS = 10_000

/** The thread ends after so long without work, ms, and after so many schemas, so that it keeps no memory. */
const IDLE_MS = 30_000
const MOST_SCHEMAS = 300

/** One thread for the whole process, and one check at a time in it. Of several owners, the one that used the least is next. */
const turns = fairTurns(1, clock)
let thread: Awaited<ReturnType<typeof startThread>> | undefined

/** Checks an input in a thread, which is ended where that takes too long. Rejects where no thread can be started. */
export async function checkInThread(
  schema: Schema,
  owner: string,
  input?: { readonly value: unknown },
): Promise<SchemaAnswer> {
  if (isSpent(owner)) return spentAnswer(owner)
  const turn = await turns.take(owner)
  const begun = processorMs()
  let overran = false
  try {
    // Its earlier checks may have used the time up meanwhile.
    if (isSpent(owner)) return spentAnswer(owner)
    if (thread?.isUsable(schema) !== true) {
      await thread?.end()
      thread = await startThread()
    }
    const outcome = await thread.ask(schema, input)
    if (outcome.type === 'answer') return outcome.answer
    overran = true
    return { type: 'unusable', text: `${overrunText(outcome.why, owner, input !== undefined)}. ${remedy}` }
  } finally {
    turn.end(overran, processorMs() - begun)
  }
}

function isSpent(owner: string): boolean {
  return turns.used(owner) > OWNER_MS
}

function spentAnswer(owner: string): SchemaAnswer {
  const why = `the schemas of ${owner} have used up their ${OWNER_MS / 1000} seconds, and are not used for some minutes`
  return { type: 'unusable', text: `${why}. ${remedy}` }
}

function overrunText(why: 'time' | 'memory', owner: string, checks: boolean): string {
  const work = `${checks ? 'checking this input by a schema' : 'reading a schema'} of ${owner} takes`
  if (why === 'memory') return `${work} more than ${MEMORY_MIB} MiB of memory`
  return `${work} longer than ${checks ? CHECKING_MS : COMPILING_MS} ms`
}

/** For the model, and for the person who reads it in a warning. */
const remedy =
  'Use another tool; its author can correct the schema with simpler patterns and fewer references, and its user can remove it'

/** The least time until the processor time is looked at again, ms. */
const LOOK_MS = 20

/** What this process has had of the processors, ms. The other threads mostly wait for the one that checks. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

type Outcome =
  | { readonly type: 'answer'; readonly answer: SchemaAnswer }
  | { readonly type: 'overrun'; readonly why: 'time' | 'memory' }

const MEMORY_MIB = 256

/** The longest that the thread needs on a busy machine, ms. */
const STARTING_MS = 60_000

/** Resolves when the thread can begin. */
async function startThread() {
  const { Worker: NodeWorker } = await import('node:worker_threads')
  const worker = new NodeWorker(runnableFile(new URL('./schema-thread.ts', import.meta.url)), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  })
  let runs = true
  let stopIdling: (() => void) | undefined
  const known = new Map<Schema, number>()
  const end = async () => {
    runs = false
    stopIdling?.()
    await worker.terminate()
  }
  worker.once('exit', () => (runs = false))
  // Without a question, the next one finds the thread ended.
  worker.on('error', () => (runs = false))

  async function next(limitMs: number): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const onNews = (news: SchemaNews) =>
      resolve({ type: 'answer', answer: news.type === 'ready' ? { type: 'fits' } : news })
    const onError = (error: Error & { readonly code?: string }) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ type: 'overrun', why: 'memory' }) : reject(error)
    const onExit = () => reject(new Error('the thread that checks schemas ended'))
    const isOver = () => resolve({ type: 'overrun', why: 'time' })
    const last = processorMs() + limitMs
    let hasEnded = false
    // An answer that has come while this thread was busy is read before the time is looked at.
    const look = (): void =>
      clock.soon(() => {
        const left = last - processorMs()
        if (left <= 0) isOver()
        else if (!hasEnded) cancel = clock.timer(Math.max(left, LOOK_MS), look)
      })
    let cancel = clock.timer(limitMs, look)
    const cancelLast = clock.timer(limitMs * BUSY, isOver)
    worker.once('message', onNews).once('error', onError).once('exit', onExit)
    try {
      return await promise
    } finally {
      hasEnded = true
      cancel()
      cancelLast()
      worker.off('message', onNews).off('error', onError).off('exit', onExit)
    }
  }

  if ((await next(STARTING_MS)).type === 'overrun') {
    await end()
    throw new Error('the thread that checks schemas cannot be started')
  }
  worker.unref()
  return {
    /** Whether it runs and has room for the schema. */
    isUsable: (schema: Schema): boolean => runs && (known.has(schema) || known.size < MOST_SCHEMAS),
    /** One question at a time. Rejects where the thread ends by itself, and where the input cannot be handed over. */
    async ask(schema: Schema, input: { readonly value: unknown } | undefined): Promise<Outcome> {
      stopIdling?.()
      const isKnown = known.has(schema)
      const id = known.get(schema) ?? known.size
      const order: SchemaOrder = { id, ...(!isKnown && { schema }), ...(input && { input }) }
      worker.ref()
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
        worker.postMessage(order)
        known.set(schema, id)
        const outcome = await next(input ? CHECKING_MS : COMPILING_MS)
        if (outcome.type === 'overrun') await end()
        return outcome
      } finally {
        worker.unref()
        stopIdling = clock.timer(IDLE_MS, () => void end(), { idle: true })
      }
    },
    end,
  }
}
