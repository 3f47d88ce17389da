import { backoffMs, createPace, type Pace, type Sleep } from '../timing.ts'
import type { TelegramFault } from './telegram-api.ts'

type ChatLine = ReturnType<typeof createChatLine>

interface LineCall<T> {
  /** A newer call with the same subject replaces a waiting droppable one. */
  readonly subject?: string
  /** Whether a limit or a fault drops the call. */
  readonly droppable?: boolean
  /** Called right before each try: where it rejects, the call does, and nothing is sent. */
  before?(): Promise<void>
  run(): Promise<T>
  /** Classifies the error that `run` rejected with. */
  readFault(error: unknown): TelegramFault
}

interface ChatLineParts {
  /** A call starts when every pace allows it. */
  readonly paces: readonly Pace[]
  now(): number
  readonly sleep: Sleep
  random(): number
  /** Called after every try; with `undefined` where Telegram answered. */
  tried(fault: TelegramFault | undefined): void
  readonly signal: AbortSignal
}

interface Waiting {
  readonly call: LineCall<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

function createChatLine({ paces, now, sleep, random, tried, signal }: ChatLineParts) {
  const waiting: Waiting[] = []
  let running = false
  let heldUntil = 0

  async function work(): Promise<void> {
    running = true
    let failures = 0
    while (waiting.length > 0) {
      // oxlint-disable-next-line no-await-in-loop -- a line runs its calls one after another
      await turn()
      const next = waiting.shift()
      if (!next) break
      // oxlint-disable-next-line no-await-in-loop -- as above
      const fault = await attempt(next)
      if (!fault) {
        failures = 0
        continue
      }
      failures++
      heldUntil = Math.max(
        heldUntil,
        now() + (fault.type === 'limited' ? fault.retryAfterMs : backoffMs(failures, random)),
      )
      if (next.call.droppable) next.resolve(undefined)
      else waiting.unshift(next)
    }
    running = false
  }

  /** Waits until the next call may start. A newer call may have replaced the first one meanwhile. */
  async function turn(): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const wait = Math.max(heldUntil - now(), ...paces.map((pace) => pace.wait(now())))
      // Paces are shared, so checking and taking happen in one step.
      if (wait <= 0) return paces.forEach((pace) => pace.take(now()))
      // oxlint-disable-next-line no-await-in-loop -- paces are shared: another line may have taken the turn meanwhile
      await sleep(wait, signal)
    }
  }

  /** Returns a fault after which the call is retried or dropped. Any other result settles the call. */
  async function attempt({
    call,
    resolve,
    reject,
  }: Waiting): Promise<Exclude<TelegramFault, { type: 'refused' }> | undefined> {
    try {
      await call.before?.()
    } catch (error) {
      reject(error)
      return undefined
    }
    try {
      const value = await call.run()
      tried(undefined)
      resolve(value)
    } catch (error) {
      if (signal.aborted) {
        reject(signal.reason)
        return undefined
      }
      const fault = call.readFault(error)
      if (fault.type !== 'refused') {
        tried(fault)
        return fault
      }
      tried(undefined)
      reject(fault.refusal)
    }
    return undefined
  }

  function end(error: unknown): void {
    running = false
    for (const { reject } of waiting.splice(0)) reject(error)
  }

  return {
    /** Resolves to the result; to `undefined` if dropped. Rejects with a refusal, and with the reason of the signal. */
    add<T>(call: LineCall<T>) {
      return new Promise<T | undefined>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const entry: Waiting = { call, resolve, reject }
        replaceOrAppend(waiting, entry)
        if (!running) work().catch(end)
      })
    },
    /** Starts no call for that long, ms. */
    hold(ms: number) {
      heldUntil = Math.max(heldUntil, now() + ms)
    },
    /** Whether a limit or a fault delays the next call. */
    get held() {
      return heldUntil > now()
    },
    /** Nothing waits, runs or is held. */
    get idle() {
      return !running && heldUntil <= now()
    },
  }
}

function replaceOrAppend(waiting: Waiting[], entry: Waiting): void {
  const { subject } = entry.call
  const older = subject === undefined ? -1 : waiting.findIndex(({ call }) => call.droppable && call.subject === subject)
  if (older < 0) return void waiting.push(entry)
  const [dropped] = waiting.splice(older, 1, entry)
  dropped?.resolve(undefined)
}

export function createChatLines(parts: Omit<ChatLineParts, 'paces'>): (chat: number) => ChatLine {
  const lines = new Map<number, { line: ChatLine; rested: () => boolean }>()
  const all = createPace(ALL)
  return (chat) => {
    const known = lines.get(chat)
    if (known) return known.line
    for (const [other, { rested }] of lines) if (rested()) lines.delete(other)
    // Ids of people are positive, those of groups and channels negative.
    const { burst, everyMs } = chat > 0 ? PERSON : GROUP
    const own = createPace({ burst, everyMs })
    const line = createChatLine({ ...parts, paces: [own, all] })
    lines.set(chat, { line, rested: () => line.idle && own.rested(parts.now()) })
    return line
  }
}

/** Telegram's limits: about one message per second to a person, 20 per minute to a group, 30 per second in total. */
const PERSON = { burst: 3, everyMs: 1_000 }
const GROUP = { burst: 5, everyMs: 4_000 }
const ALL = { burst: 5, everyMs: 40 }
