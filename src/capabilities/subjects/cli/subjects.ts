import { commandWithSubcommands, usageFailure } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { listSubjects } from './list.ts'
import { decideProposal, declineAll, listProposals, undoProposal } from './proposals.ts'
import { showContext, showNotes, showSubject } from './show.ts'
import { logGap, logOperation, newSubject, summarizeNotes } from './write.ts'

export const subjectsCommand = commandWithSubcommands({
  name: 'subjects',
  summary: 'create and show subjects, and decide on proposals',
  details:
    'A subject is what a session is about, such as a photograph: a folder with a brief, notes, and logs of what was done ' +
    'and what could not be done. ID and PROPOSAL are ids or unambiguous beginnings of one. A model may propose additions ' +
    'to notes and tastes. Nothing is written before you confirm it, and `undo` reverts it.',
  options: {
    brief: { value: 'TEXT', summary: 'new: text of its brief' },
    file: { value: 'PATH', summary: 'new: the brief from a file, or `-`' },
    details: { value: 'JSON', summary: 'log: an object with further details' },
    category: { value: 'NAME', summary: 'gap: the kind of intent, such as colour' },
    offset: { value: 'N', summary: 'notes: lines to skip at the beginning' },
    limit: { value: 'N', summary: 'notes: the most lines; 200 by default' },
    all: { summary: 'proposals: include decided ones; decline: every waiting proposal' },
    reason: { value: 'TEXT', summary: 'decline: why' },
    yes: { summary: 'confirm, decline, undo: do not ask for confirmation' },
  },
  first: 'list',
  subcommands: {
    list: { usage: '[--json]', run: listSubjects },
    show: { usage: 'ID [--json]', run: showSubject },
    context: { usage: 'ID [--json]', run: showContext },
    notes: { usage: 'ID [--offset N] [--limit N] [--json]', run: showNotes },
    new: { usage: 'ID [--brief TEXT | --file PATH]', forPersons: 'create subjects', run: newSubject },
    log: { usage: 'ID OPERATION [--details JSON] [--json]', run: logOperation },
    gap: { usage: 'ID TEXT… [--category NAME] [--json]', run: logGap },
    proposals: { usage: '[--all] [--json]', run: listProposals },
    confirm: {
      usage: 'PROPOSAL [--yes] [--json]',
      forPersons: 'confirm a proposal',
      run: (call, io) => decideProposal('confirm', call, io),
    },
    decline: {
      usage: ['PROPOSAL [--reason TEXT] [--yes] [--json]', '--all [--reason TEXT] [--yes] [--json]'],
      forPersons: 'decline a proposal',
      run: decline,
    },
    undo: { usage: 'PROPOSAL [--yes] [--json]', forPersons: 'undo what a person confirmed', run: undoProposal },
    summarize: { usage: 'ID [--json]', run: summarizeNotes },
  },
})

async function decline(call: CommandCall, io: Io): Promise<number> {
  const [, proposal] = call.words
  if (call.has('all') === (proposal !== undefined)) {
    throw usageFailure(
      'Name one proposal, or all of them.',
      'Write `foreword subjects decline PROPOSAL`, or `foreword subjects decline --all`.',
    )
  }
  return await (proposal === undefined ? declineAll(call, io) : decideProposal('decline', call, io))
}
