import type { Proposal, ProposalDecision } from '../core.ts'
import { ask, pathTo } from '../../../cli.ts'
import type { Connection } from '../../../capability.ts'

/** Decides about exactly what was shown; answers how the proposal stands then. */
export function sendDecision(
  connection: Connection,
  { id, digest }: Pick<Proposal, 'id' | 'digest'>,
  decision: ProposalDecision['type'],
  reason: string | undefined,
): Promise<Proposal> {
  const body = { decision, digest, by: 'cli', ...(reason === undefined ? {} : { reason }) }
  return ask<Proposal>(connection, pathTo('/api/proposals/', id, '/decision'), { method: 'POST', body })
}
