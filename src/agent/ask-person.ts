import type { ToolCallPart } from '../context.ts'
import type { ApprovalDecision, Entry } from '../session.ts'
import { callDigest, type PlannedCall } from '../tool.ts'
import { turnCallFacts } from './call-facts.ts'
import type { TurnContext } from './turn-setup.ts'
import type { ToolJournal } from './turn-state.ts'

/** What a person, now or before, said about a call. */
export interface PersonsAnswer {
  /** `undefined`: the turn was ended while the question stood. */
  readonly decision: ApprovalDecision | undefined
  readonly rule: string
  readonly entries: readonly Entry[]
}

/**
 * Asks a person about a call and waits, for days if need be. A decision holds for exactly the call that was described: one
 * that would now do something else is asked about anew. After a restart a question that stands in the log is not asked
 * twice, and an answer that stands there is taken; but not one about a question that showed something else than its
 * digest says, as only a log that somebody made up has it.
 */
export async function askPerson(
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
  const { digest, rule } = planned
  if (await approvals.granted(digest)) {
    return { decision: { type: 'approve', scope: 'session' }, rule: 'approved-for-session', entries: [] }
  }
  const before = journal.asked.get(part.toolCallId)
  const stands = before?.digest === digest && callDigest(before.request) === digest ? before : undefined
  const approval = stands?.approval ?? approvals.newId()
  const entries = stands ? [] : await ask(context, asked, approval)
  const decision = await approvals.decision(approval, context.turn.signal)
  return { decision, rule: `${rule}, ${approval}`, entries }
}

async function ask(
  context: TurnContext,
  { part, call, planned }: Parameters<typeof askPerson>[2],
  approval: string,
): Promise<readonly Entry[]> {
  const { turn, journal } = context
  const { toolCallId } = part
  const { rule, digest } = planned
  return journal.append(
    [{ type: 'approval-request', turn: turn.id, call, approval, toolCallId, rule, request: planned.call, digest }],
    [{ ...turnCallFacts(turn, part, planned.call), decision: 'asked', rule, digest }],
  )
}
