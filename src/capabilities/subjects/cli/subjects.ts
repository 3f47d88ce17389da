import {
  commandWithSubcommands,
  usageFailure,
  requestJson,
  withConnection,
  safeForTerminal,
  note,
  apiPath,
  print,
  readNamedFile,
  printChange,
  showAnswer,
} from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { listSubjects, findSubject, showContext, showNotes, showSubject } from './show.ts'
import { decideProposal, declineAll, listProposals, undoProposal } from './proposals.ts'
import { defined, parseJson } from '../../../platform.ts'
import { exactLine } from '../../../context.ts'
import type { NotesSummary } from '../notes-summaries.ts'

export const subjectsCommand = commandWithSubcommands({
  name: 'subjects',
  group: 'set-up',
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
    summarize: {
      usage: 'ID [--json]',
      run: showAnswer(
        async (connection, { words }) => {
          const path = apiPath('/api/subjects/', (await findSubject(connection, words[1]!)).id, '/summary')
          return await requestJson<NotesSummary>(connection, path, { method: 'POST' })
        },
        printSummary,
        'write',
      ),
    },
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

async function newSubject(call: CommandCall, io: Io): Promise<number> {
  const [, id] = call.words
  const [text, file] = [call.text('brief'), call.text('file')]
  if (text !== undefined && file !== undefined) {
    throw usageFailure('The brief is given twice.', 'Write `--brief TEXT` or `--file PATH`.')
  }
  const brief = file === undefined ? text : await readNamedFile(file, io)
  const body = { id, ...defined({ brief }) }
  const made = await withConnection(call.home, io, 'write', (connection) =>
    requestJson<{ readonly id: string }>(connection, '/api/subjects', { method: 'POST', body }),
  )
  const name = exactLine(made.id)
  return printChange(made, `Created ${name}. Talk about it with \`foreword send --subject ${name} TEXT\`.`, call, io)
}

async function logOperation(call: CommandCall, io: Io): Promise<number> {
  const [, word, op] = call.words
  const details = parseDetails(call.text('details'))
  return await writeLine(word!, 'log', { op, ...defined({ details }) }, call, io)
}

async function logGap(call: CommandCall, io: Io): Promise<number> {
  const [, word, ...words] = call.words
  const category = call.text('category')
  const body = { description: words.join(' '), ...defined({ intent_category: category }) }
  return await writeLine(word!, 'gaps', body, call, io)
}

async function writeLine(word: string, log: 'log' | 'gaps', body: object, call: CommandCall, io: Io): Promise<number> {
  const { id, line } = await withConnection(call.home, io, 'write', async (connection) => {
    const { id: subject } = await findSubject(connection, word)
    const path = apiPath('/api/subjects/', subject, `/${log}`)
    return { id: subject, line: await requestJson<unknown>(connection, path, { method: 'POST', body }) }
  })
  return printChange(line, `Added to the ${log} of ${exactLine(id)}.`, call, io)
}

function parseDetails(text: string | undefined): unknown {
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw usageFailure('--details must be a JSON object.', `Write them in quotes, such as \`'{"left": 4}'\`.`)
}

function printSummary({ text, model, lines }: NotesSummary, io: Io): void {
  print(io, safeForTerminal(text, io.stdout))
  note(io, `${exactLine(model)} summarized ${lines} lines. The summary is used until the notes change.`)
}
