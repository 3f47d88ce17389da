import { backOff } from './back-off.ts'
import type { Pace } from './pace.ts'
import type { TelegramFault } from './telegram-fault.ts'

/** The calls of one chat, one after another. */
export interface ChatLine {
  /**
   * Resolves with what the call answers, `undefined` where it was dropped. Rejects with a refusal, and with the reason of the
   * signal where that ends first.
   */
  add<T>(call: LineCall<T>): Promise<T | undefined>
  /** Lets nothing go for that long, ms. */
  hold(ms: number): void
  /** Waits for the end of a limit or a fault. */
  readonly held: boolean
  /** Nothing waits, nothing runs, nothing is held. */
  readonly idle: boolean
}

export interface LineCall<T> {
  /** A newer call of that subject takes the place of a waiting one that may be dropped. */
  readonly subject?: string
  /** Any limit or fault drops it. */
  readonly droppable?: boolean
  run(): Promise<T>
  /** What it means that `run` rejected. */
  faultOf(error: unknown): TelegramFault
}

export interface LineWorld {
  /** Every pace has to agree. */
  readonly paces: readonly Pace[]
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  random(): number
  /** Told with every try: `undefined` where it went through, whatever the answer. */
  tried(fault: TelegramFault | undefined): void
  readonly signal: AbortSignal
}

interface Waiting {
  readonly call: LineCall<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

export function createChatLine({ paces, now, sleep, random, tried, signal }: LineWorld): ChatLine {
  const waiting: Waiting[] = []
  let running = false
  let heldUntil = 0

  async function work(): Promise<void> {
    running = true
    let failures = 0
    while (waiting.length > 0) {
      // oxlint-disable-next-line no-await-in-loop -- one after another is the purpose of a line
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
        now() + (fault.type === 'limited' ? fault.retryAfterMs : backOff(failures, random)),
      )
      if (next.call.droppable) next.resolve(undefined)
      else waiting.unshift(next)
    }
    running = false
  }

  /** Waits until the first in the line may go. What stands there may be another one afterwards. */
  async function turn(): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const wait = Math.max(heldUntil - now(), ...paces.map((pace) => pace.wait(now())))
      // What is shared is looked at and taken in one go.
      if (wait <= 0) return paces.forEach((pace) => pace.take(now()))
      // oxlint-disable-next-line no-await-in-loop -- paces are shared: another line may have taken the turn meanwhile
      await sleep(wait, signal)
    }
  }

  /** Answers a fault that is to be waited out; everything else settles the call. */
  async function attempt({
    call,
    resolve,
    reject,
  }: Waiting): Promise<Exclude<TelegramFault, { type: 'refused' }> | undefined> {
    try {
      const value = await call.run()
      tried(undefined)
      resolve(value)
    } catch (error) {
      if (signal.aborted) {
        reject(signal.reason)
        return undefined
      }
      const fault = call.faultOf(error)
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
    add<T>(call: LineCall<T>) {
      return new Promise<T | undefined>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const entry: Waiting = { call, resolve, reject }
        giveWay(waiting, entry)
        if (!running) work().catch(end)
      })
    },
    hold(ms) {
      heldUntil = Math.max(heldUntil, now() + ms)
    },
    get held() {
      return heldUntil > now()
    },
    get idle() {
      return !running && heldUntil <= now()
    },
  }
}

/** A newer call of one subject stands where the older one stood, which is of no use any more. */
function giveWay(waiting: Waiting[], entry: Waiting): void {
  const { subject } = entry.call
  const older = subject === undefined ? -1 : waiting.findIndex(({ call }) => call.droppable && call.subject === subject)
  if (older < 0) return void waiting.push(entry)
  const [dropped] = waiting.splice(older, 1, entry)
  dropped?.resolve(undefined)
}
