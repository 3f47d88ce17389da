import type { CommandCall, Io } from '../../../capability.ts'
import { connected, note, personAgrees, print, printJson, purposeOf } from '../../../cli.ts'
import { fetchProposals } from './find-proposal.ts'
import { proposalText } from './proposal-text.ts'
import { sendDecision } from './send-decision.ts'

/** Declines everything that waits now, after one question. What comes meanwhile waits on. */
export async function declineAll(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const waiting = await fetchProposals(connection, 'waiting')
    if (waiting.length === 0) {
      if (!call.json) note(io, 'No proposal waits for you.')
      return 0
    }
    const now = new Date()
    if (!call.json) print(io, waiting.map((proposal) => proposalText(proposal, now, io)).join('\n\n'))
    if (!(await personAgrees(`Decline all ${waiting.length}?`, call, io))) {
      note(io, 'Nothing was decided: they still wait.')
      return 1
    }
    for (const proposal of waiting) {
      const declined = await sendDecision(connection, proposal, 'decline', call.text('reason'))
      if (call.json) printJson(io, declined)
    }
    if (!call.json) note(io, `Declined ${waiting.length}. Nothing was written.`)
    return 0
  })
}
