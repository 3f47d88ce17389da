import type { ForeignAnswer } from '../../foreign.ts'
import { defined, type ErrorCode } from '../../platform.ts'
import type { CallOutcome, Usage } from '../../session.ts'
import type { BegunRecord } from './begin-record.ts'
import type { RecordParts } from './record-parts.ts'
import { contentWriter } from './content-writer.ts'
import type { EndedCall } from './foreign-call.ts'

/** Writes how a call went: what came, and what that cost. Returns its outcome. */
export async function endRecord(
  parts: RecordParts,
  { record, wire, manifest }: BegunRecord,
  ended: EndedCall,
): Promise<CallOutcome> {
  const { store, clock, sessions } = parts
  const { id, session } = record
  const answer = await ended.reader?.end()
  const kept = answer && (await contentWriter(parts, session).text(JSON.stringify(answer)))
  const outcome: CallOutcome = {
    ...outcomeOf(ended, { answer, used: record.foreign.kind === 'count' ? undefined : manifest?.used }),
    ...defined({ wire }),
    foreign: { end: ended.end.type, ...defined({ status: ended.status, answer: kept }) },
  }
  await store.transaction([
    { type: 'call-outcome', id, outcome },
    // Those that follow the session read it again.
    { type: 'append', session, bodies: [{ type: 'foreign-call', call: id }], time: clock.time() },
  ])
  sessions.ended(session, { ...record, outcome })
  return outcome
}

/** `used`: tokens of the prompt by our counter; `undefined` where it has no account, or where only tokens were counted. */
function outcomeOf(
  { status, end, admission, durationMs, firstByteMs }: EndedCall,
  { answer, used }: { readonly answer: ForeignAnswer | undefined; readonly used: number | undefined },
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

/**
 * What a call used as far as it can be known from what was sent and what came. A report from before its end says too little, and
 * streams of Chat Completions have none unless their program asks for it.
 */
function estimatedUsage(used: number, { text, reasoning, calls, usage }: ForeignAnswer): Usage {
  const inputs = calls.reduce((sum, { input }) => sum + JSON.stringify(input ?? '').length, 0)
  const written = Math.ceil((text.length + reasoning.length + inputs) / CHARACTERS_PER_TOKEN)
  return {
    promptTokens: usage?.promptTokens ?? used,
    cachedTokens: usage?.cachedTokens,
    cacheWrittenTokens: usage?.cacheWrittenTokens,
    outputTokens: Math.max(written, usage?.outputTokens ?? 0),
    reasoningTokens: undefined,
  }
}

/** Of English prose and of code, about. */
const CHARACTERS_PER_TOKEN = 3.5

function errorOf(
  { status, end, admission }: Pick<EndedCall, 'status' | 'end' | 'admission'>,
  answer: ForeignAnswer | undefined,
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
