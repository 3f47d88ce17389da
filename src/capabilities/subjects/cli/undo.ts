import type { Proposal } from '../core.ts'
import { ask, connected, exactLine, note, pathTo, personAgrees, print, printJson, purposeOf } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { findProposal } from './find-proposal.ts'
import { fileText, proposalText } from './proposal-text.ts'

/** Shows what was confirmed, asks, and takes it back. What people wrote meanwhile stays. */
export async function undoProposal(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const proposal = await findProposal(connection, call.words[1]!, 'confirmed')
    if (!call.json) print(io, proposalText(proposal, new Date(), io))
    if (!(await personAgrees('Take this back?', call, io))) {
      note(io, 'Nothing was taken back.')
      return 1
    }
    const path = pathTo('/api/proposals/', proposal.id, '/undo')
    const undone = await ask<Proposal>(connection, path, { method: 'POST', body: { by: 'cli' } })
    if (call.json) printJson(io, undone)
    else note(io, `Taken out of ${exactLine(fileText(undone.file))}.`)
    return 0
  })
}
