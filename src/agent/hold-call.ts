import { ForewordError } from '../platform.ts'
import type { ApprovalDecision, Entry } from '../session.ts'
import { callDigest } from '../tool.ts'
import { turnCallFacts } from './call-facts.ts'
import type { CallHold, GrantedCall, PreparedCall, TurnContext } from './turn-setup.ts'
import type { TurnState } from './turn-state.ts'

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
 * takes each of them once at all.
 */
export async function holdCall(context: TurnContext, state: TurnState, prepared: PreparedCall): Promise<Held> {
  let granted: GrantedCall | undefined
  for (;;) {
    const hold = await context.holdCall(prepared, granted)
    if (hold.type !== 'wait') return hold
    const { approval, decision } = await askPerson(context, state, prepared, hold)
    if (decision === undefined) return { type: 'cancelled' }
    if (decision.type === 'deny') return { type: 'refuse', error: refusal(hold.sentence, decision.reason) }
    granted = { approval, once: decision.scope === 'once', request: hold.request }
  }
}

type Waiting = Extract<CallHold, { type: 'wait' }>

async function askPerson(
  context: TurnContext,
  state: TurnState,
  prepared: PreparedCall,
  waiting: Waiting,
): Promise<{ readonly approval: string; readonly decision: ApprovalDecision | undefined }> {
  const { approvals } = context.tools
  const before = state.entries.find((entry) => isQuestion(entry, waiting, context.answered))
  const approval = before?.type === 'approval-request' ? before.approval : await ask(context, prepared, waiting)
  const decision = await approvals.decision(approval, context.turn.signal)
  context.answered.add(approval)
  return { approval, decision }
}

function isQuestion(entry: Entry, { request }: Waiting, answered: ReadonlySet<string>): boolean {
  if (entry.type !== 'approval-request' || entry.toolCallId !== QUESTION || !entry.held) return false
  return (
    entry.digest === callDigest(request) && entry.digest === callDigest(entry.request) && !answered.has(entry.approval)
  )
}

async function ask(
  { journal, tools, turn }: TurnContext,
  { call }: PreparedCall,
  { request, rule, sentence, raise }: Waiting,
): Promise<string> {
  const approval = tools.approvals.newId()
  const digest = callDigest(request)
  const part = { type: 'tool-call', toolCallId: QUESTION, toolName: request.tool, input: request.input } as const
  const question = { approval, toolCallId: QUESTION, rule, request, digest, held: { sentence, raise } }
  await journal.append(
    [{ type: 'approval-request', turn: turn.id, call, ...question }],
    [{ ...turnCallFacts(turn, { part, call }, request), decision: 'asked', rule, digest }],
  )
  return approval
}

function refusal(sentence: string, reason: string | undefined): OverBudgetError {
  const said = reason === undefined ? '' : ` The reason: ${reason}`
  return new OverBudgetError(`The call was not made, since a person refused it. ${sentence}${said}`)
}
