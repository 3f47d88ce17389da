import type { CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import {
  apiPath,
  commandWithSubcommands,
  findByName,
  fullTimeText,
  note,
  print,
  printAnswer,
  printChange,
  printJson,
  printList,
  readNamedFile,
  requestJson,
  rowTable,
  safeForTerminal,
  answerCommand,
  singleLine,
  table,
  timeText,
  usageFailure,
  width,
  withConnection,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import { defined, parseJson } from '../../../platform.ts'
import type { ListedSubject, NotesPage, SubjectContext, SubjectReading } from '../core/subjects.ts'
import type { NotesSummary } from '../notes-summaries.ts'
import { decideProposal, declineAll, listProposals, undoProposal } from './proposals.ts'

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
    show: {
      usage: 'ID [--json]',
      run: answerCommand(async (connection, call) => {
        const { id } = await findSubject(connection, call.words[1]!)
        return await requestJson<SubjectDocument>(connection, apiPath('/api/subjects/', id))
      }, printSubject),
    },
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
      run: answerCommand(
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

type SubjectDocument = ListedSubject & Pick<SubjectReading, 'context' | 'warnings'>

function printSubject({ id, updated, waiting, context, warnings }: SubjectDocument, io: Io): void {
  const { brief, notes, recent_gaps: gaps } = context
  print(io, exactLine(id), 'bold')
  const wide = Math.max(20, width(io) - 12)
  const rows = [
    ['updated', fullTimeText(updated, new Date())],
    ['tastes', exactLine(tasteText(context))],
    ...context.tastes.conflicts.map(({ point, files }) => ['conflict', exactLine(`${point} (${files.join(', ')})`)]),
    ['notes', noteText(id, notes)],
    ['log', exactLine(logText(context))],
    ['gaps', gaps.length === 0 ? 'none' : exactLine(`${countText(gaps.length)}; the last: ${gaps[0]!.description}`)],
    ['waiting', waiting === 0 ? 'no proposals' : `${waiting}; show them with \`foreword subjects proposals\``],
  ]
  print(io, table(rows.map(([name, text]) => [name!, singleLine(text!, wide)])))
  const words = brief.raw.trimEnd()
  if (words !== '') print(io, `\n${safeForTerminal(words, io.stdout)}`)
  printWarnings(warnings, io)
}

/** The tastes that the brief declares; those without a file are marked. */
function tasteText({ tastes, brief }: SubjectContext): string {
  const declared = brief.tastes.map((name) => (Object.hasOwn(tastes.genres, name) ? name : `${name} (no file)`))
  const all = [...(tastes.default === '' ? [] : ['_default']), ...declared]
  return all.length === 0 ? 'none' : all.join(', ')
}

function noteText(id: string, { summary, truncated }: SubjectContext['notes']): string {
  if (summary === '') return 'none'
  return truncated
    ? `shortened; read all of them with \`foreword subjects notes ${exactLine(id)}\``
    : `${summary.length} characters`
}

function logText({ recent_log: log }: SubjectContext): string {
  const [newest] = log
  if (newest === undefined) return 'none'
  return `${countText(log.length)}; the last: ${[newest.timestamp, newest.op].filter((word) => word !== '').join(' ')}`
}

/** A context has the last ten records. */
function countText(count: number): string {
  return count < 10 ? String(count) : '10 or more'
}

/** The answer of `read_context`; warnings about the files go to standard error. */
async function showContext(call: CommandCall, io: Io): Promise<number> {
  const { context, warnings } = await withConnection(call.home, io, 'read', async (connection) => {
    const { id } = await findSubject(connection, call.words[1]!)
    return await requestJson<Omit<SubjectReading, 'id'>>(connection, apiPath('/api/subjects/', id, '/context'))
  })
  printJson(io, context, { pretty: !call.json })
  printWarnings(warnings, io)
  return 0
}

async function showNotes(call: CommandCall, io: Io): Promise<number> {
  const given = ['offset', 'limit'].flatMap((name) => {
    const text = call.text(name)
    if (text === undefined) return []
    if (!/^\d{1,9}$/.test(text)) throw usageFailure(`--${name} must be a number of lines, not ${text}.`)
    return [`${name}=${text}`]
  })
  const query = given.length === 0 ? '' : `?${given.join('&')}`
  const { id, page } = await withConnection(call.home, io, 'read', async (connection) => {
    const { id: subject } = await findSubject(connection, call.words[1]!)
    const path = `${apiPath('/api/subjects/', subject, '/notes')}${query}`
    return { id: subject, page: await requestJson<NotesPage>(connection, path) }
  })
  return printAnswer(page, () => printNotes(id, page, io), call, io)
}

function printNotes(id: string, { text, offset, lines, total, next_offset: next }: NotesPage, io: Io): void {
  if (lines > 0) print(io, safeForTerminal(text.replace(/\n$/, ''), io.stdout))
  if (total === 0) return note(io, `${id} has no notes.`)
  if (lines === 0) return note(io, `The notes have ${total} lines.`)
  if (offset === 0 && next === null) return
  const more = next === null ? '' : `; continue with \`--offset ${next}\``
  note(io, `Lines ${offset + 1} to ${offset + lines} of ${total}${more}.`)
}

function printWarnings(warnings: readonly string[], io: Io): void {
  for (const warning of warnings) note(io, exactLine(warning), 'yellow')
}

async function listSubjects(call: CommandCall, io: Io): Promise<number> {
  const { subjects, waiting } = await withConnection(call.home, io, 'read', fetchSubjects)
  const empty = 'No subjects yet. Create one with `foreword subjects new ID`.'
  printList(subjects, { empty, table: subjectTable }, call, io)
  if (waiting > 0 && !call.json) note(io, waitingText(waiting))
  return 0
}

function subjectTable(subjects: readonly ListedSubject[], io: Io): string {
  const now = new Date()
  const rows = subjects.map(({ id, title, updated, waiting }) => ({
    id: exactLine(id),
    title: singleLine(exactLine(title), Math.max(20, width(io) - 60)),
    updated: exactLine(timeText(updated, now)),
    waiting: waiting === 0 ? '' : String(waiting),
  }))
  return rowTable(rows, io, { spare: ['updated'] })
}

function waitingText(count: number): string {
  const proposals = count === 1 ? 'One proposal is' : `${count} proposals are`
  return `${proposals} waiting for you. Show ${count === 1 ? 'it' : 'them'} with \`foreword subjects proposals\`.`
}

export interface SubjectList {
  readonly subjects: readonly ListedSubject[]
  /** All waiting proposals, including those about tastes. */
  readonly waiting: number
}

function fetchSubjects(connection: GatewayConnection): Promise<SubjectList> {
  return requestJson<SubjectList>(connection, '/api/subjects')
}

async function findSubject(connection: GatewayConnection, word: string): Promise<ListedSubject> {
  const { subjects } = await fetchSubjects(connection)
  return findByName(word, subjects, ({ id }) => ({ id, name: id }), 'subject')
}
