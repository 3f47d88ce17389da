import { defined } from '../../../platform.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import {
  requestJson,
  withConnection,
  safeForTerminal,
  note,
  apiPath,
  print,
  printJson,
  readNamedFile,
  usageFailure,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import type { NotesSummary } from '../notes-summaries.ts'
import { findSubject } from './list.ts'

export async function newSubject(call: CommandCall, io: Io): Promise<number> {
  const [, id] = call.words
  const brief = await readBriefOption(call, io)
  const body = { id, ...defined({ brief }) }
  const made = await withConnection(call.home, io, 'write', (connection) =>
    requestJson<{ readonly id: string }>(connection, '/api/subjects', { method: 'POST', body }),
  )
  if (call.json) printJson(io, made)
  else
    note(
      io,
      `Created ${exactLine(made.id)}. Talk about it with \`foreword send --subject ${exactLine(made.id)} TEXT\`.`,
    )
  return 0
}

async function readBriefOption(call: CommandCall, io: Io): Promise<string | undefined> {
  const [text, file] = [call.text('brief'), call.text('file')]
  if (text !== undefined && file !== undefined) {
    throw usageFailure('The brief is given twice.', 'Write `--brief TEXT` or `--file PATH`.')
  }
  return file === undefined ? text : await readNamedFile(file, io)
}

export async function logOperation(call: CommandCall, io: Io): Promise<number> {
  const [, word, op] = call.words
  const details = parseDetails(call.text('details'))
  return await writeLine(word!, 'log', { op, ...defined({ details }) }, call, io)
}

export async function logGap(call: CommandCall, io: Io): Promise<number> {
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
  if (call.json) printJson(io, line)
  else note(io, `Added to the ${log} of ${exactLine(id)}.`)
  return 0
}

function parseDetails(text: string | undefined): unknown {
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw usageFailure('--details must be a JSON object.', `Write them in quotes, such as \`'{"left": 4}'\`.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function summarizeNotes(call: CommandCall, io: Io): Promise<number> {
  const summary = await withConnection(call.home, io, 'write', async (connection) => {
    const { id } = await findSubject(connection, call.words[1]!)
    return await requestJson<NotesSummary>(connection, apiPath('/api/subjects/', id, '/summary'), { method: 'POST' })
  })
  if (call.json) printJson(io, summary)
  else {
    print(io, safeForTerminal(summary.text, io.stdout))
    note(
      io,
      `${exactLine(summary.model)} summarized ${summary.lines} lines. The summary is used until the notes change.`,
    )
  }
  return 0
}
