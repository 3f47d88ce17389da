import type { Proposal, ProposalState } from '../core.ts'
import { ask, CommandFailure, exactLine } from '../../../cli.ts'
import type { Connection } from '../../../capability.ts'

/** Oldest first. */
export async function fetchProposals(
  connection: Connection,
  state?: ProposalState['type'],
): Promise<readonly Proposal[]> {
  const query = state === undefined ? '' : `?state=${state}`
  return (await ask<{ readonly proposals: readonly Proposal[] }>(connection, `/api/proposals${query}`)).proposals
}

/** The one whose id begins so: among those in a state, or where there is none, among all. */
export async function findProposal(
  connection: Connection,
  word: string,
  state: ProposalState['type'],
): Promise<Proposal> {
  const begun = (await fetchProposals(connection)).filter(({ id }) => id.startsWith(word))
  const exact = begun.find(({ id }) => id === word)
  if (exact !== undefined) return exact
  const inState = begun.filter((proposal) => proposal.state.type === state)
  const [found, ...others] = inState.length > 0 ? inState : begun
  if (found !== undefined && others.length === 0) return found
  if (found === undefined) {
    throw new CommandFailure('not-found', `there is no proposal ${word}.`, {
      hint: '`foreword subjects proposals --all` lists them.',
    })
  }
  const ids = [found, ...others].map(({ id }) => exactLine(id)).join(', ')
  throw new CommandFailure('ambiguous', `${word} begins more than one: ${ids}.`, { hint: 'Write more of the id.' })
}
