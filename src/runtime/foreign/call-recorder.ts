import type { ForeignCallStart, ForeignCallState } from '../../capability.ts'
import { type Activity, defined, errorMessage, keyedQueue, type ErrorCode } from '../../platform.ts'
import { beginRecord, type ForeignRecord, type RecordedEnd } from './begin-record.ts'
import type { RecordParts, ForeignCallFacts, Departure, ForeignCallOutcome } from './foreign-call.ts'
import type { ForeignHold } from './foreign-limits.ts'
import { type CallOutcome, NOTHING, type Usage, type Write } from '../../session.ts'
import { COSTLESS } from './foreign-input.ts'
import { contentWriter } from './content-writer.ts'
import { tokensWritten, type WireAnswer } from '../../wire.ts'

export interface CallRecording {
  /** `over`: of `opened`, called once the end is on record. */
  end(ended: ForeignCallOutcome, held: ForeignHold | undefined, over: () => void): void
}

/** Writes calls of other programs beside their way: a fault in here stops no call, is counted, and is reported. */
export function createCallRecorder(
  parts: RecordParts & { readonly activity: Activity; readonly warn: (text: string) => void },
) {
  const queue = keyedQueue<string>()
  const pauses = new Set<() => void>()
  let [open, recorded, lost] = [0, 0, 0]
  let lastFault: string | undefined

  function note(what: string, error: unknown): void {
    lastFault = `${what}: ${errorMessage(error)}`
    parts.warn(`A call of another program went on, although its record is not whole: ${lastFault}`)
  }

  function guarded<Result>(what: string, work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      note(what, error)
      return undefined
    }
  }

  return {
    /** Begins the record of a call after a moment: answers come first. A process that dies later leaves a call without an end. */
    begin(
      start: StartedCall,
      call: () => Promise<ForeignCallFacts>,
      departing?: Promise<Departure | undefined>,
    ): CallRecording {
      const moment = pause()
      // Calls of one program are written in their order: each is compared with the one before.
      const key = keyOf(start)
      let begun: ForeignRecord | undefined
      let known: ForeignCallOutcome | undefined
      // What cannot be written so is written by itself.
      const endOf = async (record: ForeignRecord) => known && recordedEnd(parts, record, known).catch(() => undefined)
      void queue.add(key, async () => {
        try {
          await moment.over
          begun = await beginRecord(parts, await call(), endOf)
        } catch (error) {
          lost += 1
          note('it was not recorded', error)
        }
      })
      return {
        end(ended, held, over) {
          known = ended
          // What it held of a budget is given back at once.
          if (held) moment.end()
          if (!begun) void departing?.then((departure) => departure?.ended(ended)).catch(() => {})
          void queue.add(key, async () => {
            try {
              if (begun) {
                let { outcome } = begun
                if (!outcome) {
                  const later = await recordedEnd(parts, begun, ended)
                  await parts.store.transaction(later.writes)
                  outcome = later.outcome
                }
                parts.sessions.ended(begun.record.session, { ...begun.record, outcome })
                held?.settle(outcome)
                recorded += 1
                return
              }
            } catch (error) {
              lost += 1
              note('its end was not recorded', error)
            } finally {
              over()
            }
            guarded('what it cost was not counted', () => held?.settle(undefined))
          })
        },
      }
    },
    /** Resolves once all calls of this program that have ended so far are on record. */
    async settled(start: StartedCall): Promise<void> {
      for (const end of pauses) end()
      await queue.add(keyOf(start), () => {})
    },
    /** Counts a call that came, until the function that it returns is called. */
    opened(): () => void {
      open += 1
      const end = parts.activity.begin()
      return () => {
        open -= 1
        end()
      }
    },
    /** Runs work on the way of a call. `undefined`: it threw, which is noted. */
    guarded,
    note,
    state: (): ForeignCallState => ({ open, recorded, lost, ...defined({ lastFault }) }),
    /** Writes what has ended so far at once, and resolves when it is on record; `undefined`: all of it is. */
    idle(): Promise<void> | undefined {
      for (const end of pauses) end()
      return queue.idle()
    },
  }

  function pause(): { readonly over: Promise<void>; end(): void } {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = parts.store.clock.timer(MOMENT_MS, end)
    pauses.add(end)
    function end(): void {
      pauses.delete(end)
      cancel()
      resolve()
    }
    return { over: promise, end }
  }
}

type StartedCall = Pick<ForeignCallStart, 'head' | 'caller'>

function keyOf({ head, caller }: StartedCall): string {
  return `${head.headers['user-agent'] ?? ''} ${caller.by}`
}

const MOMENT_MS = 100

async function recordedEnd(
  parts: RecordParts,
  { record, wire, manifest }: ForeignRecord,
  ended: ForeignCallOutcome,
): Promise<RecordedEnd> {
  const { id, session } = record
  const isUnpaid = record.foreign.kind === 'count' || COSTLESS.has(record.input.foreign.method)
  const answer = await ended.answer
  const writer = contentWriter(parts, session)
  const kept = answer && (await writer.text(JSON.stringify(answer)))
  const outcome: CallOutcome = {
    ...outcomeOf(ended, { answer, used: isUnpaid ? undefined : manifest?.used }),
    // A count of tokens reports them, and costs nothing.
    ...(isUnpaid ? { usage: NOTHING } : {}),
    ...defined({ wire }),
    foreign: { end: ended.end.type, ...defined({ status: ended.status, answer: kept, id: answer?.id }) },
  }
  const writes: readonly Write[] = [
    ...writer.writes(),
    { type: 'call-outcome', id, outcome },
    // Those that follow the session read it again.
    { type: 'append', session, bodies: [{ type: 'foreign-call', call: id }], time: parts.clock.time() },
  ]
  return { outcome, writes }
}

/** `used`: tokens of the prompt by our counter; `undefined` where it has no account, or where only tokens were counted. */
function outcomeOf(
  { status, end, admission, durationMs, firstByteMs }: ForeignCallOutcome,
  { answer, used }: { readonly answer: WireAnswer | undefined; readonly used: number | undefined },
): CallOutcome {
  const wasAnswered = status !== undefined && status < 400 && answer !== undefined && answer.error === undefined
  const hasUsage = answer?.usage !== undefined && (end.type === 'whole' || answer.finish !== undefined)
  const isLost = wasAnswered && !hasUsage && used !== undefined
  return {
    ...defined({
      usage: isLost ? estimatedUsage(used, answer) : answer?.usage,
      usageEstimated: isLost ? (true as const) : undefined,
      finish: answer?.finish,
      error: errorOf({ status, end, admission }, answer),
      firstTokenMs: firstByteMs,
    }),
    durationMs,
  }
}

/** A call's usage as far as known: a report from before its end says too little, and some streams have none. */
function estimatedUsage(used: number, { text, reasoning, calls, usage }: WireAnswer): Usage {
  const inputs = calls.map(({ input }) => JSON.stringify(input ?? ''))
  const written = tokensWritten(Buffer.byteLength([text, reasoning, ...inputs].join('')))
  return {
    promptTokens: usage?.promptTokens ?? used,
    cachedTokens: usage?.cachedTokens,
    cacheWrittenTokens: usage?.cacheWrittenTokens,
    outputTokens: Math.max(written, usage?.outputTokens ?? 0),
    reasoningTokens: undefined,
  }
}

function errorOf(
  { status, end, admission }: Pick<ForeignCallOutcome, 'status' | 'end' | 'admission'>,
  answer: WireAnswer | undefined,
): CallOutcome['error'] {
  if (admission?.type === 'refuse') return { code: admission.code, message: admission.message }
  if (answer?.error) return answer.error
  if (end.type === 'broken') return { code: 'network', message: end.message ?? 'The answer broke off.' }
  if (end.type === 'stopped')
    return { code: 'over-budget', message: end.message ?? 'The answer was stopped at a limit.' }
  if (end.type === 'left')
    return { code: 'cancelled', message: 'The connection to the program ended before the answer did.' }
  if (status !== undefined && status >= 400)
    return { code: statusCode(status), message: `The provider answered ${status}.` }
  return undefined
}

function statusCode(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  if (status === 429) return 'rate-limit'
  return status < 500 ? 'bad-request' : 'server'
}
