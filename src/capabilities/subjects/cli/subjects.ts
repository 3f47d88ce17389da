import { jsonOption, runSubcommand, type Subcommand, usageFailure } from '../../../cli.ts'
import type { Command, CommandCall, Io } from '../../../capability.ts'
import { listSubjects } from './list.ts'
import { decideProposal, declineAll, listProposals, undoProposal } from './proposals.ts'
import { showContext, showNotes, showSubject } from './show.ts'
import { logGap, logOperation, newSubject, summarizeNotes } from './write.ts'

export const subjectsCommand: Command = {
  name: 'subjects',
  summary: 'make and show subjects, and decide about proposals',
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
    'A subject is what a talk is about, such as a photograph: a folder with a brief, notes, and logs of what was done and ' +
    'what could not be done. ID is its id, or its beginning where only one begins so; so is PROPOSAL. A model may propose ' +
    'to add to notes and tastes; nothing is written before you confirm it, and `undo` takes it back.',
  words: { least: 0, most: Infinity },
  options: {
    brief: { value: 'TEXT', summary: 'new: text of its brief' },
    file: { value: 'PATH', summary: 'new: the brief from a file, or `-`' },
    details: { value: 'JSON', summary: 'log: an object with whatever else is known' },
    category: { value: 'NAME', summary: 'gap: what it was to serve, such as colour' },
    offset: { value: 'N', summary: 'notes: lines to leave out at the beginning' },
    limit: { value: 'N', summary: 'notes: at most so many lines (200 unless said)' },
    all: { summary: 'proposals: decided ones, too; decline: everything that waits' },
    reason: { value: 'TEXT', summary: 'decline: why' },
    yes: { summary: 'confirm, decline, undo: do not ask' },
    json: jsonOption,
  },
  run: (call, io) => runSubcommand(subjectsCommand, subcommands, 'list', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { least: 0, most: 0, run: listSubjects },
  show: { least: 1, most: 1, run: showSubject },
  context: { least: 1, most: 1, run: showContext },
  notes: { least: 1, most: 1, run: showNotes },
  new: { least: 1, most: 1, forPersons: 'make subjects', run: newSubject },
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
  undo: { least: 1, most: 1, forPersons: 'take back what a person confirmed', run: undoProposal },
  summarize: { least: 1, most: 1, run: summarizeNotes },
}

/** One, or with `--all` everything that waits: never both. */
async function decline(call: CommandCall, io: Io): Promise<number> {
  const [, proposal] = call.words
  if (call.has('all') === (proposal !== undefined)) {
    throw usageFailure(
      'One proposal has to be named, or all.',
      'Write `foreword subjects decline PROPOSAL`, or `--all`.',
    )
  }
  return await (proposal === undefined ? declineAll(call, io) : decideProposal('decline', call, io))
}
