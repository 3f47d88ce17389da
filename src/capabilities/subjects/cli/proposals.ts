import type { CommandCall, Io } from '../../../capability.ts'
import { connected, note, print, printJson } from '../../../cli.ts'
import { fetchProposals } from './find-proposal.ts'
import { proposalText } from './proposal-text.ts'

/** What models would like to write: what waits, or everything. */
export async function listProposals(call: CommandCall, io: Io): Promise<number> {
  const state = call.has('all') ? undefined : 'waiting'
  const proposals = await connected(call.home, io, 'read', (connection) => fetchProposals(connection, state))
  if (call.json) {
    for (const proposal of proposals) printJson(io, proposal)
    return 0
  }
  const now = new Date()
  if (proposals.length > 0) print(io, proposals.map((proposal) => proposalText(proposal, now, io)).join('\n\n'))
  else note(io, call.has('all') ? 'There are no proposals.' : 'No proposal waits for you.')
  if (proposals.some((proposal) => proposal.state.type === 'waiting')) {
    note(io, '`foreword subjects confirm PROPOSAL` writes one, `foreword subjects decline PROPOSAL` does not.')
  }
  return 0
}
