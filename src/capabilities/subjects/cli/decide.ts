import type { Proposal } from '../core.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { CommandFailure, connected, exactLine, note, personAgrees, print, printJson, purposeOf } from '../../../cli.ts'
import { findProposal } from './find-proposal.ts'
import { fileText, proposalText } from './proposal-text.ts'
import { sendDecision } from './send-decision.ts'

/** Shows a proposal, asks, and decides about exactly what was shown. */
export async function decideProposal(decision: 'confirm' | 'decline', call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const proposal = await findProposal(connection, call.words[1]!, 'waiting')
    if (!call.json) print(io, proposalText(proposal, new Date(), io))
    const { id, digest, state } = proposal
    if (state.type !== 'waiting') throw decidedAlready(proposal)
    if (!(await personAgrees(decision === 'confirm' ? 'Write this?' : 'Decline this?', call, io))) {
      note(io, 'Nothing was decided: the proposal still waits.')
      return 1
    }
    const reason = decision === 'decline' ? call.text('reason') : undefined
    const decided = await sendDecision(connection, { id, digest }, decision, reason)
    if (call.json) printJson(io, decided)
    else note(io, decidedText(decided))
    return 0
  })
}

function decidedText({ id, file, state }: Proposal): string {
  if (state.type !== 'confirmed') return `${exactLine(id)} is declined. Nothing was written.`
  return `Added to ${exactLine(fileText(file))}. \`foreword subjects undo ${exactLine(id)}\` takes it back.`
}

function decidedAlready({ id, state }: Proposal): CommandFailure {
  return new CommandFailure('decided', `${id} is ${state.type} already: a proposal is decided once.`, {
    hint: '`foreword subjects proposals` lists those that wait.',
  })
}
