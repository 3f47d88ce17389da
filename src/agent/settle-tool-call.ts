import { isDeepStrictEqual } from 'node:util'
import { readFacts, resultFacts, turnCallFacts } from './call-facts.ts'
import { resultText, type CutResult, cutResult, keepImages } from './shown-result.ts'
import { stopping, type TurnRun, write } from './turn-setup.ts'
import type { ToolJournal } from './turn-state.ts'
import {
  exactLine,
  type FrameKind,
  type Message,
  type Origin,
  textKey,
  type ToolCallPart,
  wholeCharacter,
} from '../context.ts'
import { defined, isObject, timeSlice } from '../platform.ts'
import type { ApprovalDecision, EntryBody, CitationSource, ResultImage } from '../session.ts'
import {
  callDigest,
  changedFiles,
  type LoadableFiles,
  NOT_ALL_COMPARED,
  type PlannedCall,
  type ToolResult,
} from '../tool.ts'

interface ToolCallToSettle {
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
  /** Aborted once another call of the same message failed, as when its result could not be written: this one does not start then. */
  readonly failed: AbortSignal
}

/** What the model reads of a call. */
export interface ToolReply {
  readonly ok: boolean
  readonly text: string
  readonly images?: readonly ResultImage[] | undefined
  /** How a text of others stands in a frame. Absent: the words are Foreword's own, such as those of a refusal. */
  readonly as?: FrameKind
}

/**
 * Settles one call: applies the policy, asks a person where necessary, runs the call and writes the result. `tool-start` is
 * on disk before it runs, and `tool-end` before the model can read its result. A call that was started and did not end is
 * never repeated automatically: it may have taken effect, and the model reads so. Tools that declare themselves idempotent
 * are repeated (docs/decisions/0007).
 */
export async function settleToolCall(
  turn: TurnRun,
  journal: ToolJournal,
  settling: ToolCallToSettle,
): Promise<ToolReply> {
  const { part } = settling
  const known = journal.ended.get(part.toolCallId)
  // What was refused never started.
  const ran = journal.started.has(part.toolCallId)
  if (known) {
    const { ok, output: text, images } = known
    return { ok, text, images, ...(ran && framedAs(turn, part, ok)) }
  }
  if (ran && turn.tools.toolbox.tools.find(({ name }) => name === part.toolName)?.idempotent !== true)
    return abandonCall(turn, settling)
  throwIfStopping(turn.signal)
  // A cancelled call has a result, too: no call is left without one.
  if (turn.signal.aborted) return refuseCall(turn, settling, { result: cancelled, rule: 'cancelled' })
  const { refused } = settling
  if (refused) return refuseCall(turn, settling, { result: { ok: false, error: REFUSED[refused] }, rule: refused })

  const planned = await planCall(turn, settling)
  if (planned.type === 'refused') return refuseCall(turn, settling, planned)
  if (planned.type === 'allowed') return runCall(turn, settling, planned, planned.rule)
  return askAndSettle(turn, journal, settling, planned)
}

/**
 * A decision applies to what was shown. Since days may have passed, the call is planned again under the current policy, and
 * asked about again where it would do something else, or where its program would load what is not as it was. A file that has
 * changed twice goes on changing: the question says so, and the approval covers it as it is then.
 */
async function askAndSettle(
  turn: TurnRun,
  journal: ToolJournal,
  settling: ToolCallToSettle,
  plain: Runnable,
  earlier: EarlierChange = NO_CHANGE,
): Promise<ToolReply> {
  const { part, call, failed } = settling
  const asked = withFacts(plain, earlier.facts)
  const {
    decision,
    rule,
    loads,
    shown = asked,
  } = await askPerson(turn, journal, { part, call, failed, planned: asked })
  throwIfStopping(turn.signal)
  failed.throwIfAborted()
  if (decision === undefined) return refuseCall(turn, settling, { result: cancelled, rule: 'cancelled' })
  if (decision.type === 'deny') {
    const { call: described, read } = asked
    return refuseCall(turn, settling, {
      result: {
        ok: false,
        error: decision.reason ? `A person has denied this call: ${decision.reason}` : 'A person has denied this call.',
      },
      rule,
      call: described,
      ...defined({ read }),
    })
  }
  const now = await planCall(turn, settling)
  if (now.type === 'refused') return refuseCall(turn, settling, now)
  if (now.digest !== plain.digest) return askAndSettle(turn, journal, settling, now)
  const changed = loads && (await loadsChange(now, loads, earlier))
  if (changed) return askAndSettle(turn, journal, settling, now, changed)
  // What runs is recorded as it was approved.
  return runCall(turn, settling, { ...now, call: shown.call, digest: shown.digest }, rule)
}

type Runnable = Exclude<PlannedCall, { type: 'refused' }>

/** What of the files that a program loads has changed since a question about it. */
interface EarlierChange {
  /** For the next question. */
  readonly facts: Readonly<Record<string, string>>
  readonly paths: readonly string[]
  /** Files that changed between two questions and once more after it. */
  readonly busy: readonly string[]
}

const NO_CHANGE: EarlierChange = { facts: {}, paths: [], busy: [] }

/** Paths that a question names. */
const MOST_NAMED = 10

/** What the program would load now that it would not have when a person was asked; `undefined` for nothing. */
async function loadsChange(
  now: Runnable,
  asked: LoadsWhenAsked,
  earlier: EarlierChange,
): Promise<EarlierChange | undefined> {
  const found = await now.loads?.()
  if (found === undefined || found.digest === asked.digest) return undefined
  const all = asked.files ? changedFiles(asked.files, found) : []
  const paths = all.filter((path) => !earlier.busy.includes(path))
  if (asked.files && paths.length === 0) return undefined
  const busy = [...earlier.busy, ...paths.filter((path) => earlier.paths.includes(path))]
  const facts = {
    changed: asked.files
      ? `${namedPaths(paths)} in the workspace, since you were asked about this call`
      : 'files of the workspace, since you were asked about this call before a restart',
    ...(busy.length > 0 && { 'still changing': `${namedPaths(busy)}: an approval covers them as they are then` }),
  }
  return { facts, paths, busy }
}

function namedPaths(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED
  return `${paths.slice(0, MOST_NAMED).map(exactLine).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function withFacts(planned: Runnable, facts: Readonly<Record<string, string>>): Runnable {
  if (Object.keys(facts).length === 0) return planned
  const call = { ...planned.call, facts: { ...planned.call.facts, ...facts } }
  return { ...planned, call, digest: callDigest(call) }
}

async function planCall(turn: TurnRun, { part, most, roomTokens, seen }: ToolCallToSettle): Promise<PlannedCall> {
  const { toolCallId, toolName, input } = part
  const room = roomTokens === undefined ? {} : { room: { characters: most, tokens: roomTokens } }
  const { session, id, signal, tools, clock } = turn
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
async function abandonCall(turn: TurnRun, settling: ToolCallToSettle): Promise<ToolReply> {
  const facts = turnCallFacts(turn, settling, undefined)
  await write(turn, [], [{ ...facts, kind: 'call', ok: false, rule: 'interrupted', reason: interrupted }])
  return { ok: false, text: interrupted }
}

const REFUSED = {
  'too-many-calls': 'too many calls in one message: this one was not run. Call it again in your next message.',
  'cut-call':
    'the call was cut at the length limit of an answer: its arguments are incomplete, and it was not run. Write less in one call, such as a long text in several parts.',
}

const cancelled: ToolResult = { ok: false, error: 'cancelled before it ran' }

async function refuseCall(
  turn: TurnRun,
  settling: ToolCallToSettle,
  { result, rule, call: described, read }: Omit<Extract<PlannedCall, { type: 'refused' }>, 'type'>,
): Promise<ToolReply> {
  const shown = cutResult(result, settling.most)
  const said = resultText(result)
  const reason = said.slice(0, wholeCharacter(said, 500))
  const digest = described && callDigest(described)
  const about = { ...turnCallFacts(turn, settling, described), ...defined({ digest }) }
  const facts = { ...about, ...readFacts(read), decision: 'refused' as const, rule, reason }
  await write(turn, [await endEntry(turn, settling, { result, shown, durationMs: 0 })], [facts])
  // A plan that cannot be made is refused in the tool's own words, which may repeat what it read.
  return { ok: false, text: shown.text, ...(rule === 'plan' && framedAs(turn, settling.part, false)) }
}

async function runCall(
  turn: TurnRun,
  settling: ToolCallToSettle,
  planned: Exclude<PlannedCall, { type: 'refused' }>,
  rule: string,
): Promise<ToolReply> {
  const { part, call } = settling
  const { toolCallId, toolName, input } = part
  const { digest, call: described } = planned
  const facts = { ...turnCallFacts(turn, settling, described), rule, digest }
  settling.failed.throwIfAborted()
  const start: EntryBody = { type: 'tool-start', turn: turn.id, call, toolCallId, toolName, input }
  await write(turn, [start], [{ ...facts, decision: 'allowed' }])
  const began = turn.clock.monotonic()
  const answered = await planned.run()
  // The effect of a tool that stopped together with the process is as unknown as after a crash.
  throwIfStopping(turn.signal)
  const durationMs = Math.round(turn.clock.monotonic() - began)
  const work = timeSlice(turn.clock)
  const { result: cited, sources } = turn.tools.cite(answered)
  const { result, images } = await keepImages(turn.journal, toolName, cited)
  const shown = cutResult(result, settling.most, queryOf(input))
  if (work.isOver()) await work.rest()
  const end = await endEntry(turn, settling, { result, shown, durationMs, sources, images })
  if (work.isOver()) await work.rest()
  const outcome = { ...facts, kind: 'call' as const, ...resultFacts(result, resultText(result)), durationMs }
  await write(turn, [end], [outcome])
  return { ok: result.ok, text: shown.text, images, ...framedAs(turn, part, result.ok) }
}

/** What a search looks for, by the names that searches use. */
function queryOf(input: unknown): string | undefined {
  if (!isObject(input)) return undefined
  const asked = [input['query'], input['queries'], input['q']].flat().filter((each) => typeof each === 'string')
  return asked.length > 0 ? asked.join(' ') : undefined
}

/** A tool that is no longer there may have been anybody's. */
function framedAs({ tools }: TurnRun, { toolName }: ToolCallPart, ok: boolean): Pick<ToolReply, 'as'> {
  const { results: as = 'material' } = tools.toolbox.tools.find(({ name }) => name === toolName) ?? {}
  if (as !== 'own') return { as }
  return ok ? {} : { as: 'material' }
}

async function endEntry(
  turn: TurnRun,
  { part: { toolCallId, toolName }, call }: ToolCallToSettle,
  ended: {
    readonly result: ToolResult
    readonly shown: CutResult
    readonly durationMs: number
    readonly sources?: readonly CitationSource[]
    readonly images?: readonly ResultImage[] | undefined
  },
): Promise<EntryBody> {
  const { result, durationMs, shown, sources = [], images } = ended
  const kind = turn.tools.toolbox.tools.find(({ name }) => name === toolName)?.origin
  const origin: Origin | undefined = kind && { kind, ref: toolName }
  const { whole, text } = shown
  const stored = whole && {
    id: whole.id,
    content: await turn.journal.keepContent!(whole.text),
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
    ...defined({ origin, stored, images }),
    ...(sources.length > 0 ? { sources } : {}),
  }
}

/** The decision of a person about a call, made now or before. */
interface PersonsAnswer {
  /** `undefined`: the turn ended before a decision. */
  readonly decision: ApprovalDecision | undefined
  readonly rule: string
  /** The call as the person was shown it; absent where nobody was asked. */
  readonly shown?: Runnable
  /** Absent where nobody was asked about this call, or it loads nothing. */
  readonly loads?: LoadsWhenAsked | undefined
}

/** What a call could load when it was asked about. After a restart only the digest is known. */
interface LoadsWhenAsked {
  readonly digest: string
  readonly files?: LoadableFiles
}

/**
 * Asks a person about a call and waits, for days if necessary. A decision applies to exactly the call that was described:
 * a call that would now do something else is asked about again. After a restart a question in the log is not asked twice,
 * and its answer in the log counts; but not where the question does not match its digest, as in a forged log.
 */
async function askPerson(
  turn: TurnRun,
  journal: ToolJournal,
  asked: {
    readonly part: ToolCallPart
    readonly call: string
    readonly failed: AbortSignal
    readonly planned: Extract<PlannedCall, { type: 'ask' | 'allowed' }>
  },
): Promise<PersonsAnswer> {
  const { part, planned, failed } = asked
  const { approvals } = turn.tools
  const { digest, rule, grant } = planned
  const partial = planned.loads && withFacts(planned, { compared: NOT_ALL_COMPARED })
  if ((await approvals.granted(digest)) || (partial && (await approvals.granted(partial.digest)))) {
    return { decision: { type: 'approve', scope: 'session' }, rule: 'approved-for-session' }
  }
  if (grant !== undefined && (await approvals.grantedTool?.(planned.call.tool, grant))) {
    return { decision: { type: 'approve', scope: 'tool' }, rule: 'approved-tool' }
  }
  const before = journal.asked.get(part.toolCallId)
  const same = [planned, partial].find((each) => {
    if (each === undefined || before?.digest !== each.digest) return false
    return callDigest(before.request) === each.digest && isSameReading(before, each)
  })
  const valid = same && (before?.loads !== undefined || !planned.loads) ? before : undefined
  const approval = valid?.approval ?? approvals.newId()
  const files = valid ? undefined : await planned.loads?.()
  const shown = (valid ? same : files?.isComplete === false ? partial : undefined) ?? planned
  const loads = valid?.loads === undefined ? files && { digest: files.digest, files } : { digest: valid.loads }
  const question = { part, call: asked.call, planned: shown, loads: loads?.digest }
  if (!valid) await appendQuestion(turn, question, approval)
  const decided = await approvals.decision(approval, AbortSignal.any([turn.signal, failed]))
  // Questions about tools are never withdrawn: a log that says so allows nothing.
  const decision = decided?.type === 'withdraw' ? ({ type: 'deny' } as const) : decided
  return { decision, rule: `${rule}, ${approval}`, shown, loads }
}

async function appendQuestion(
  turn: TurnRun,
  {
    part,
    call,
    planned,
    loads,
  }: Omit<Parameters<typeof askPerson>[2], 'failed'> & { readonly loads: string | undefined },
  approval: string,
): Promise<void> {
  const { toolCallId } = part
  const { rule, digest, call: request, read, grant } = planned
  const question = { approval, toolCallId, rule, request, digest, ...defined({ read, grant, loads }) }
  await write(
    turn,
    [{ type: 'approval-request', turn: turn.id, call, ...question }],
    [{ ...turnCallFacts(turn, { part, call }, request), ...readFacts(read), decision: 'asked', rule, digest }],
  )
}

/** A question that hides what was read was not made by this program. */
function isSameReading(asked: Pick<PlannedCall, 'read'>, planned: Pick<PlannedCall, 'read'>): boolean {
  const keys = ({ read = [] }: Pick<PlannedCall, 'read'>) => read.map(textKey)
  return isDeepStrictEqual(keys(asked), keys(planned))
}
