import { exactLine } from '../../context.ts'
import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision } from '../../session.ts'
import { requestJson, apiPath } from '../answer.ts'
import type { GatewayConnection } from '../../capability.ts'
import { CommandFailure } from '../failure.ts'
import { findByIdPrefix } from '../find-one.ts'

export async function fetchApprovals(connection: GatewayConnection): Promise<readonly WaitingApproval[]> {
  return (await requestJson<{ readonly approvals: readonly WaitingApproval[] }>(connection, '/api/approvals')).approvals
}

export async function findApproval(connection: GatewayConnection, word: string): Promise<WaitingApproval> {
  const all = await fetchApprovals(connection)
  return await findByIdPrefix(word, {
    kind: 'approval',
    idOf: ({ approval }) => approval,
    find: ({ beginning }) =>
      Promise.resolve(
        beginning === undefined
          ? all.toReversed()
          : all.filter(({ approval }) => approval.startsWith(beginning)).toSorted(byId),
      ),
    describe: ({ request, session }) => `${request.tool}  ${session}`,
    none: () =>
      new CommandFailure('not-found', `No call that waits for approval matches "${word}".`, {
        hint: 'List the calls that wait with `foreword approve`.',
      }),
  })
}

function byId(one: WaitingApproval, other: WaitingApproval): number {
  return one.approval < other.approval ? -1 : 1
}

/** Sends a decision about exactly what was shown. The decision is on disk when this resolves. */
export async function decide(
  connection: GatewayConnection,
  { approval, digest }: WaitingApproval,
  decision: ApprovalDecision,
): Promise<void> {
  const { type, ...rest } = decision
  const body = { decision: type, ...rest, digest, by: 'cli' }
  await requestJson(connection, apiPath('/api/approvals/', approval), { method: 'POST', body })
}

export function approvalNotice({ approval, request, held }: WaitingApproval): string {
  const id = exactLine(approval)
  if (held) return `${exactLine(held.sentence)} Decide with \`foreword approve ${id}\`.`
  return `${exactLine(request.tool)} waits for your approval. Decide with \`foreword approve ${id}\`.`
}
