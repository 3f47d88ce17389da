import { ForewordError } from '../platform.ts'
import type { ApprovalOutcome, Entry } from '../session.ts'
import { callDigest } from '../tool.ts'
import { turnCallFacts } from './call-facts.ts'
import { type CallHold, type BudgetApproval, type ModelCall, type TurnRun, write } from './turn-setup.ts'

/** A call that did not leave: it could have cost more than is left, and nobody allowed it. */
export class OverBudgetError extends ForewordError {
  override readonly name = 'OverBudgetError'
  declare readonly code: 'over-budget'

  constructor(message: string) {
    super('over-budget', message)
  }
}

type Held = Extract<CallHold, { type: 'go' | 'refuse' }> | { readonly type: 'cancelled' }

/** Model calls of a turn are made one after another, so that one id is enough for the questions about them. */
const QUESTION = 'model-call'

/**
 * Asks whether a call may leave, and waits for a person where that has to be decided, for days if necessary. The question is in the
 * log, so a turn that is resumed finds it and its answer. An answer is passed on once in this process, and what holds the calls
 * takes each of them once at all. A question that needs no answer any more is withdrawn, and the call goes on.
 */
export async function holdCall(turn: TurnRun, prepared: ModelCall): Promise<Held> {
  let granted: BudgetApproval | undefined
  for (;;) {
    const hold = await turn.holdCall(prepared, granted)
    if (hold.type !== 'wait') {
      // A turn that is resumed may find room where it asked before.
      const hasAsked = turn.entries.some((entry) => entry.type === 'approval-request' && entry.toolCallId === QUESTION)
      return hasAsked ? await withoutQuestions(turn, hold) : hold
    }
    const { approval, decision } = await askPerson(turn, prepared, hold)
    if (decision === undefined) return { type: 'cancelled' }
    if (decision.type === 'deny') return { type: 'refuse', error: refusal(hold.sentence, decision.reason) }
    granted =
      decision.type === 'withdraw' ? undefined : { approval, once: decision.scope === 'once', request: hold.request }
  }
}

type Waiting = Extract<CallHold, { type: 'wait' }>

async function withoutQuestions(turn: TurnRun, hold: Exclude<CallHold, Waiting>): Promise<Exclude<CallHold, Waiting>> {
  try {
    const denied = await withdrawQuestions(turn, undefined)
    if (!denied || hold.type === 'refuse') return hold
    hold.settle({ notMade: true })
    return { type: 'refuse', error: refusal('', denied.reason) }
  } catch (error) {
    if (hold.type === 'go') hold.settle({ notMade: true })
    throw error
  }
}

/** Withdraws what a former process asked about this call, except `kept`. Returns the refusal of a person who was faster. */
async function withdrawQuestions({ answered, entries, tools }: TurnRun, kept: string | undefined) {
  const { approvals } = tools
  const decided = new Set(entries.map((entry) => (entry.type === 'approval' ? entry.approval : undefined)))
  for (const entry of entries) {
    if (entry.type !== 'approval-request' || entry.toolCallId !== QUESTION || !entry.held) continue
    const { approval } = entry
    if (approval === kept || decided.has(approval) || answered.has(approval)) continue
    answered.add(approval)
    const decision = await approvals.withdraw?.(approval, 'The call is asked about no more.')
    if (decision?.type === 'deny' && kept === undefined) return decision
  }
  return undefined
}

async function askPerson(
  turn: TurnRun,
  prepared: ModelCall,
  waiting: Waiting,
): Promise<{ readonly approval: string; readonly decision: ApprovalOutcome | undefined }> {
  const before = turn.entries.find((entry) => isQuestion(entry, waiting, turn.answered))
  const known = before?.type === 'approval-request' ? before.approval : undefined
  await withdrawQuestions(turn, known ?? '')
  const approval = known ?? (await ask(turn, prepared, waiting))
  const decision = await decisionOrRoom(turn, approval, waiting)
  turn.answered.add(approval)
  return { approval, decision }
}

/** What comes first: the decision of a person, or that none is needed. */
async function decisionOrRoom(
  { tools: { approvals }, signal }: TurnRun,
  approval: string,
  waiting: Waiting,
): Promise<ApprovalOutcome | undefined> {
  const decided = approvals.decision(approval, signal)
  if (!waiting.room || !approvals.withdraw) return decided
  const over = new AbortController()
  try {
    const room = waiting.room(AbortSignal.any([signal, over.signal])).then((reason) => ({ reason }))
    const first = await Promise.race([decided, room])
    if (first === undefined || 'type' in first) return first
    if (first.reason === undefined) return await decided
    return await approvals.withdraw(approval, first.reason)
  } finally {
    over.abort()
  }
}

function isQuestion(entry: Entry, { request }: Waiting, answered: ReadonlySet<string>): boolean {
  if (entry.type !== 'approval-request' || entry.toolCallId !== QUESTION || !entry.held) return false
  return (
    entry.digest === callDigest(request) && entry.digest === callDigest(entry.request) && !answered.has(entry.approval)
  )
}

async function ask(turn: TurnRun, { call }: ModelCall, { request, rule, sentence, raise }: Waiting): Promise<string> {
  const approval = turn.tools.approvals.newId()
  const digest = callDigest(request)
  const part = { type: 'tool-call', toolCallId: QUESTION, toolName: request.tool, input: request.input } as const
  const question = { approval, toolCallId: QUESTION, rule, request, digest, held: { sentence, raise } }
  await write(
    turn,
    [{ type: 'approval-request', turn: turn.id, call, ...question }],
    [{ ...turnCallFacts(turn, { part, call }, request), decision: 'asked', rule, digest }],
  )
  return approval
}

function refusal(sentence: string, reason: string | undefined): OverBudgetError {
  const said = reason === undefined ? '' : ` The reason: ${reason}`
  return new OverBudgetError(`The call was not made, since a person refused it. ${sentence}${said}`.trim())
}
