import { jsonOption, runSubcommand, type Subcommand, usageFailure } from '../../../cli.ts'
import type { Command, CommandCall, Io } from '../../../capability.ts'
import { listSubjects } from './list.ts'
import { decideProposal, declineAll, listProposals, undoProposal } from './proposals.ts'
import { showContext, showNotes, showSubject } from './show.ts'
import { logGap, logOperation, newSubject, summarizeNotes } from './write.ts'

export const subjectsCommand: Command = {
  name: 'subjects',
  summary: 'create and show subjects, and decide on proposals',
  usage: [
    'subjects [list] [--json]',
    'subjects show ID [--json]',
    'subjects context ID [--json]',
    'subjects notes ID [--offset N] [--limit N] [--json]',
    'subjects new ID [--brief TEXT | --file PATH]',
    'subjects log ID OPERATION [--details JSON] [--json]',
    'subjects gap ID TEXT [--category NAME] [--json]',
    'subjects proposals [--all] [--json]',
    'subjects confirm PROPOSAL [--yes] [--json]',
    'subjects decline PROPOSAL [--reason TEXT] [--yes] [--json]',
    'subjects decline --all [--reason TEXT] [--yes] [--json]',
    'subjects undo PROPOSAL [--yes] [--json]',
    'subjects summarize ID [--json]',
  ],
  details:
    'A subject is what a session is about, such as a photograph: a folder with a brief, notes, and logs of what was done ' +
    'and what could not be done. ID and PROPOSAL are ids or unambiguous beginnings of one. A model may propose additions ' +
    'to notes and tastes. Nothing is written before you confirm it, and `undo` reverts it.',
  words: { least: 0, most: Infinity },
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
    json: jsonOption,
  },
  run: (call, io) => runSubcommand(subjectsCommand, subcommands, 'list', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { least: 0, most: 0, run: listSubjects },
  show: { least: 1, most: 1, run: showSubject },
  context: { least: 1, most: 1, run: showContext },
  notes: { least: 1, most: 1, run: showNotes },
  new: { least: 1, most: 1, forPersons: 'create subjects', run: newSubject },
  log: { least: 2, most: 2, run: logOperation },
  gap: { least: 2, most: Infinity, run: logGap },
  proposals: { least: 0, most: 0, run: listProposals },
  confirm: {
    least: 1,
    most: 1,
    forPersons: 'confirm a proposal',
    run: (call, io) => decideProposal('confirm', call, io),
  },
  decline: { least: 0, most: 1, forPersons: 'decline a proposal', run: decline },
  undo: { least: 1, most: 1, forPersons: 'undo what a person confirmed', run: undoProposal },
  summarize: { least: 1, most: 1, run: summarizeNotes },
}

/** Declines one proposal, or with `--all` every waiting one; never both. */
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
