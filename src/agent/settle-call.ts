import { isDeepStrictEqual } from 'node:util'
import { readFacts, resultFacts, turnCallFacts } from './call-facts.ts'
import { resultText, type CutResult, cutResult } from './shown-result.ts'
import { stopping, type TurnContext } from './turn-setup.ts'
import type { ToolJournal } from './turn-state.ts'
import { type FrameKind, type Message, type Origin, textKey, type ToolCallPart, wholeCharacter } from '../context.ts'
import { defined, isObject, timeSlice } from '../platform.ts'
import type { ApprovalDecision, Entry, EntryBody, CitationSource } from '../session.ts'
import { callDigest, type PlannedCall, type ToolResult } from '../tool.ts'

interface CallToSettle {
  readonly part: ToolCallPart
  /** The model call that requested it. */
  readonly call: string
  /** The most of its result that the model is shown, characters. */
  readonly most: number
  /** The room of the next call for its result, tokens; absent where that is unknown. */
  readonly roomTokens?: number | undefined
  /** The messages that the model had read when it made the call. */
  readonly seen?: readonly Message[] | undefined
  /** Why the call does not run: it is beyond the limit of calls in one message, or its arguments are not complete. */
  readonly refused?: keyof typeof REFUSED | undefined
}

/** What the model reads of a call, and the entries that were written for it. */
export interface SettledCall {
  readonly ok: boolean
  readonly text: string
  /** How a text of others stands in a frame. Absent: the words are Foreword's own, such as those of a refusal. */
  readonly as?: FrameKind
  readonly entries: readonly Entry[]
}

/**
 * Settles one call: applies the policy, asks a person where necessary, runs the call and writes the result. `tool-start` is
 * on disk before it runs, and `tool-end` before the model can read its result. A call that was started and did not end is
 * never repeated automatically: it may have taken effect, and the model reads so. Tools that declare themselves idempotent
 * are repeated (docs/decisions/0007).
 */
export async function settleCall(
  context: TurnContext,
  journal: ToolJournal,
  settling: CallToSettle,
): Promise<SettledCall> {
  const { part } = settling
  const known = journal.ended.get(part.toolCallId)
  // What was refused never started.
  const ran = journal.started.has(part.toolCallId)
  if (known)
    return { ok: known.ok, text: resultText(known), entries: [], ...(ran && framedAs(context, part, known.ok)) }
  if (ran && context.tools.toolbox.tools.find(({ name }) => name === part.toolName)?.idempotent !== true)
    return abandonCall(context, settling)
  throwIfStopping(context.turn.signal)
  // A cancelled call has a result, too: no call is left without one.
  if (context.turn.signal.aborted) return refuseCall(context, settling, { result: cancelled, rule: 'cancelled' })
  const { refused } = settling
  if (refused) return refuseCall(context, settling, { result: { ok: false, error: REFUSED[refused] }, rule: refused })

  const planned = await planCall(context, settling)
  if (planned.type === 'refused') return refuseCall(context, settling, planned)
  if (planned.type === 'allowed') return runCall(context, settling, planned, planned.rule)
  return askAndSettle(context, journal, settling, planned)
}

/**
 * A decision applies to what was shown. Since days may have passed, the call is planned again under the current policy, and
 * asked about again where it would do something else.
 */
async function askAndSettle(
  context: TurnContext,
  journal: ToolJournal,
  settling: CallToSettle,
  asked: Exclude<PlannedCall, { type: 'refused' }>,
): Promise<SettledCall> {
  const { part, call } = settling
  const { decision, rule, entries } = await askPerson(context, journal, { part, call, planned: asked })
  throwIfStopping(context.turn.signal)
  const settled = async () => {
    if (decision === undefined) return refuseCall(context, settling, { result: cancelled, rule: 'cancelled' })
    if (decision.type === 'deny') {
      const { call: described, read } = asked
      return refuseCall(context, settling, {
        result: {
          ok: false,
          error: decision.reason
            ? `A person has denied this call: ${decision.reason}`
            : 'A person has denied this call.',
        },
        rule,
        call: described,
        ...defined({ read }),
      })
    }
    const now = await planCall(context, settling)
    if (now.type === 'refused') return refuseCall(context, settling, now)
    if (now.digest === asked.digest) return runCall(context, settling, now, rule)
    return askAndSettle(context, journal, settling, now)
  }
  const rest = await settled()
  return { ...rest, entries: [...entries, ...rest.entries] }
}

async function planCall(
  { turn, tools, clock }: TurnContext,
  { part, most, roomTokens, seen }: CallToSettle,
): Promise<PlannedCall> {
  const { toolCallId, toolName, input } = part
  const room = roomTokens === undefined ? {} : { room: { characters: most, tokens: roomTokens } }
  const { session, id, signal } = turn
  const call = { toolCallId, toolName, input }
  const planned = await tools.toolbox.plan(call, { session, turn: id, signal, clock, ...room, ...defined({ seen }) })
  throwIfStopping(signal)
  return planned
}

/** The process is stopping: the call stays in the log for the next start. `runTurn` recognizes this state by the signal. */
function throwIfStopping(signal: AbortSignal): void {
  if (signal.reason === stopping) throw new Error(stopping)
}

const interrupted =
  'The gateway stopped while this tool was running. It may or may not have taken effect, and was not run again. ' +
  'Check before you repeat it.'

/** It is unknown whether the call took effect. The audit records that, so that no call is without an end there. */
async function abandonCall(context: TurnContext, settling: CallToSettle): Promise<SettledCall> {
  const facts = turnCallFacts(context.turn, settling, undefined)
  await context.journal.append([], [{ ...facts, kind: 'call', ok: false, rule: 'interrupted', reason: interrupted }])
  return { ok: false, text: interrupted, entries: [] }
}

const REFUSED = {
  'too-many-calls': 'too many calls in one message: this one was not run. Call it again in your next message.',
  'cut-call':
    'the call was cut at the length limit of an answer: its arguments are incomplete, and it was not run. Write less in one call, such as a long text in several parts.',
}

const cancelled: ToolResult = { ok: false, error: 'cancelled before it ran' }

async function refuseCall(
  context: TurnContext,
  settling: CallToSettle,
  { result, rule, call: described, read }: Omit<Extract<PlannedCall, { type: 'refused' }>, 'type'>,
): Promise<SettledCall> {
  const shown = cutResult(result, settling.most)
  const said = resultText(result)
  const reason = said.slice(0, wholeCharacter(said, 500))
  const digest = described && callDigest(described)
  const about = { ...turnCallFacts(context.turn, settling, described), ...defined({ digest }) }
  const facts = { ...about, ...readFacts(read), decision: 'refused' as const, rule, reason }
  const entries = await context.journal.append(
    [await endEntry(context, settling, { result, shown, durationMs: 0 })],
    [facts],
  )
  // A plan that cannot be made is refused in the tool's own words, which may repeat what it read.
  return { ok: false, text: shown.text, entries, ...(rule === 'plan' && framedAs(context, settling.part, false)) }
}

async function runCall(
  context: TurnContext,
  settling: CallToSettle,
  planned: Exclude<PlannedCall, { type: 'refused' }>,
  rule: string,
): Promise<SettledCall> {
  const { part, call } = settling
  const { toolCallId, toolName, input } = part
  const { digest, call: described } = planned
  const facts = { ...turnCallFacts(context.turn, settling, described), rule, digest }
  const start: EntryBody = { type: 'tool-start', turn: context.turn.id, call, toolCallId, toolName, input }
  const started = await context.journal.append([start], [{ ...facts, decision: 'allowed' }])
  const began = context.clock.monotonic()
  const answered = await planned.run()
  // The effect of a tool that stopped together with the process is as unknown as after a crash.
  throwIfStopping(context.turn.signal)
  const durationMs = Math.round(context.clock.monotonic() - began)
  const work = timeSlice(context.clock)
  const { result, sources } = context.tools.cite(answered)
  const shown = cutResult(result, settling.most, queryOf(input))
  if (work.isOver()) await work.rest()
  const end = await endEntry(context, settling, { result, shown, durationMs, sources })
  if (work.isOver()) await work.rest()
  const outcome = { ...facts, kind: 'call' as const, ...resultFacts(result, resultText(result)), durationMs }
  const ended = await context.journal.append([end], [outcome])
  return { ok: result.ok, text: shown.text, entries: [...started, ...ended], ...framedAs(context, part, result.ok) }
}

/** What a search looks for, by the names that searches use. */
function queryOf(input: unknown): string | undefined {
  if (!isObject(input)) return undefined
  const asked = [input['query'], input['queries'], input['q']].flat().filter((each) => typeof each === 'string')
  return asked.length > 0 ? asked.join(' ') : undefined
}

/** A tool that is no longer there may have been anybody's. */
function framedAs({ tools }: TurnContext, { toolName }: ToolCallPart, ok: boolean): Pick<SettledCall, 'as'> {
  const { results: as = 'material' } = tools.toolbox.tools.find(({ name }) => name === toolName) ?? {}
  if (as !== 'own') return { as }
  return ok ? {} : { as: 'material' }
}

async function endEntry(
  { turn, tools, journal }: TurnContext,
  { part: { toolCallId, toolName }, call }: CallToSettle,
  ended: {
    readonly result: ToolResult
    readonly shown: CutResult
    readonly durationMs: number
    readonly sources?: readonly CitationSource[]
  },
): Promise<EntryBody> {
  const { result, durationMs, shown, sources = [] } = ended
  const kind = tools.toolbox.tools.find(({ name }) => name === toolName)?.origin
  const origin: Origin | undefined = kind && { kind, ref: toolName }
  const { whole, text } = shown
  const stored = whole && {
    id: whole.id,
    content: await journal.keepContent!(whole.text),
    characters: whole.text.length,
  }
  return {
    type: 'tool-end',
    turn: turn.id,
    call,
    toolCallId,
    ok: result.ok,
    output: text,
    durationMs,
    ...defined({ origin, stored }),
    ...(sources.length > 0 ? { sources } : {}),
  }
}

/** The decision of a person about a call, made now or before. */
interface PersonsAnswer {
  /** `undefined`: the turn ended before a decision. */
  readonly decision: ApprovalDecision | undefined
  readonly rule: string
  readonly entries: readonly Entry[]
}

/**
 * Asks a person about a call and waits, for days if necessary. A decision applies to exactly the call that was described:
 * a call that would now do something else is asked about again. After a restart a question in the log is not asked twice,
 * and its answer in the log counts; but not where the question does not match its digest, as in a forged log.
 */
async function askPerson(
  context: TurnContext,
  journal: ToolJournal,
  asked: {
    readonly part: ToolCallPart
    readonly call: string
    readonly planned: Extract<PlannedCall, { type: 'ask' | 'allowed' }>
  },
): Promise<PersonsAnswer> {
  const { part, planned } = asked
  const { approvals } = context.tools
  const { digest, rule, grant } = planned
  if (await approvals.granted(digest)) {
    return { decision: { type: 'approve', scope: 'session' }, rule: 'approved-for-session', entries: [] }
  }
  if (grant !== undefined && (await approvals.grantedTool?.(planned.call.tool, grant))) {
    return { decision: { type: 'approve', scope: 'tool' }, rule: 'approved-tool', entries: [] }
  }
  const before = journal.asked.get(part.toolCallId)
  const isSame = before?.digest === digest && callDigest(before.request) === digest && isSameReading(before, planned)
  const valid = isSame ? before : undefined
  const approval = valid?.approval ?? approvals.newId()
  const entries = valid ? [] : await appendQuestion(context, asked, approval)
  const decided = await approvals.decision(approval, context.turn.signal)
  // Questions about tools are never withdrawn: a log that says so allows nothing.
  const decision = decided?.type === 'withdraw' ? ({ type: 'deny' } as const) : decided
  return { decision, rule: `${rule}, ${approval}`, entries }
}

async function appendQuestion(
  context: TurnContext,
  { part, call, planned }: Parameters<typeof askPerson>[2],
  approval: string,
): Promise<readonly Entry[]> {
  const { turn, journal } = context
  const { toolCallId } = part
  const { rule, digest, call: request, read, grant } = planned
  const question = { approval, toolCallId, rule, request, digest, ...defined({ read, grant }) }
  return journal.append(
    [{ type: 'approval-request', turn: turn.id, call, ...question }],
    [{ ...turnCallFacts(turn, { part, call }, request), ...readFacts(read), decision: 'asked', rule, digest }],
  )
}

/** A question that hides what was read was not made by this program. */
function isSameReading(asked: Pick<PlannedCall, 'read'>, planned: Pick<PlannedCall, 'read'>): boolean {
  const keys = ({ read = [] }: Pick<PlannedCall, 'read'>) => read.map(textKey)
  return isDeepStrictEqual(keys(asked), keys(planned))
}
