import type { CommandCall, Io, GatewayConnection } from '../../../capability.ts'
import {
  requestJson,
  withConnection,
  fullTimeText,
  safeForTerminal,
  note,
  singleLine,
  apiPath,
  print,
  printJson,
  table,
  usageFailure,
  width,
  printList,
  findByName,
  timeText,
  printAnswer,
  rowTable,
  showAnswer,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import type { NotesPage, SubjectContext, SubjectReading, SubjectFacts } from '../core.ts'

export const showSubject = showAnswer(async (connection, call) => {
  const { id } = await findSubject(connection, call.words[1]!)
  return await requestJson<SubjectDocument>(connection, apiPath('/api/subjects/', id))
}, printSubject)

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
export async function showContext(call: CommandCall, io: Io): Promise<number> {
  const { context, warnings } = await withConnection(call.home, io, 'read', async (connection) => {
    const { id } = await findSubject(connection, call.words[1]!)
    return await requestJson<Omit<SubjectReading, 'id'>>(connection, apiPath('/api/subjects/', id, '/context'))
  })
  printJson(io, context, { pretty: !call.json })
  printWarnings(warnings, io)
  return 0
}

export async function showNotes(call: CommandCall, io: Io): Promise<number> {
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

export async function listSubjects(call: CommandCall, io: Io): Promise<number> {
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

type ListedSubject = SubjectFacts & {
  /** Waiting proposals about its notes. */
  readonly waiting: number
}

export interface SubjectList {
  readonly subjects: readonly ListedSubject[]
  /** All waiting proposals, including those about tastes. */
  readonly waiting: number
}

function fetchSubjects(connection: GatewayConnection): Promise<SubjectList> {
  return requestJson<SubjectList>(connection, '/api/subjects')
}

export async function findSubject(connection: GatewayConnection, word: string): Promise<ListedSubject> {
  const { subjects } = await fetchSubjects(connection)
  return findByName(word, subjects, ({ id }) => ({ id, name: id }), 'subject')
}
