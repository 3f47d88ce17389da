import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision } from '../../session.ts'
import { ask, pathTo } from '../answer.ts'
import type { Connection } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { CommandFailure } from '../failure.ts'

/** The calls that wait for a person, oldest first. */
export async function waitingApprovals(connection: Connection): Promise<readonly WaitingApproval[]> {
  return (await ask<{ readonly approvals: readonly WaitingApproval[] }>(connection, '/api/approvals')).approvals
}

/** The one whose id begins so. Throws where there is none, or more than one. */
export async function waitingApproval(connection: Connection, prefix: string): Promise<WaitingApproval> {
  const all = await waitingApprovals(connection)
  const found = all.filter(({ approval }) => approval === prefix || approval.startsWith(prefix))
  const exact = found.find(({ approval }) => approval === prefix)
  if (exact !== undefined) return exact
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    throw new CommandFailure('not-found', `nothing waits for you under ${prefix}.`, {
      mend: '`foreword approve` lists what waits.',
    })
  }
  const ids = found.map(({ approval }) => exactLine(approval)).join(', ')
  throw new CommandFailure('ambiguous', `${prefix} begins more than one: ${ids}.`, { mend: 'Write more of the id.' })
}

/** Says what a person decided about exactly what was shown. It is on disk when this resolves. */
export async function decide(
  connection: Connection,
  { approval, digest }: WaitingApproval,
  decision: ApprovalDecision,
): Promise<void> {
  const { type, ...rest } = decision
  const body = { decision: type, ...rest, digest, by: 'cli' }
  await ask(connection, pathTo('/api/approvals/', approval), { method: 'POST', body })
}

/** One line for whoever waits for a turn that waits for a person. */
export function waitingLine({ approval, request }: WaitingApproval): string {
  const id = exactLine(approval)
  return `${exactLine(request.tool)} waits for your approval: \`foreword approve ${id}\` shows the call and decides.`
}
