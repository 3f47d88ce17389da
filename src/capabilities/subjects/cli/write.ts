import { defined } from '../../../platform.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import {
  ask,
  connected,
  exactLine,
  harmless,
  note,
  pathTo,
  print,
  printJson,
  readNamedFile,
  usageFailure,
} from '../../../cli.ts'
import type { NotesSummary } from '../notes-summaries.ts'
import { findSubject } from './list.ts'

/** Makes a subject, with a brief where one is given. */
export async function newSubject(call: CommandCall, io: Io): Promise<number> {
  const [, id] = call.words
  const brief = await briefOf(call, io)
  const body = { id, ...defined({ brief }) }
  const made = await connected(call.home, io, 'write', (connection) =>
    ask<{ readonly id: string }>(connection, '/api/subjects', { method: 'POST', body }),
  )
  if (call.json) printJson(io, made)
  else
    note(io, `${exactLine(made.id)} is there. \`foreword send --subject ${exactLine(made.id)} TEXT\` talks about it.`)
  return 0
}

async function briefOf(call: CommandCall, io: Io): Promise<string | undefined> {
  const [text, file] = [call.text('brief'), call.text('file')]
  if (text !== undefined && file !== undefined) {
    throw usageFailure('The brief is given twice.', 'Write `--brief TEXT` or `--file PATH`.')
  }
  return file === undefined ? text : await readNamedFile(file, io)
}

/** Writes down what was done. */
export async function logOperation(call: CommandCall, io: Io): Promise<number> {
  const [, word, op] = call.words
  const details = detailsOf(call.text('details'))
  return await writeLine(word!, 'log', { op, ...defined({ details }) }, call, io)
}

/** Writes down what could not be done. */
export async function logGap(call: CommandCall, io: Io): Promise<number> {
  const [, word, ...words] = call.words
  const category = call.text('category')
  const body = { description: words.join(' '), ...defined({ intent_category: category }) }
  return await writeLine(word!, 'gaps', body, call, io)
}

async function writeLine(word: string, log: 'log' | 'gaps', body: object, call: CommandCall, io: Io): Promise<number> {
  const { id, line } = await connected(call.home, io, 'write', async (connection) => {
    const { id: subject } = await findSubject(connection, word)
    const path = pathTo('/api/subjects/', subject, `/${log}`)
    return { id: subject, line: await ask<unknown>(connection, path, { method: 'POST', body }) }
  })
  if (call.json) printJson(io, line)
  else note(io, `Written into the ${log} of ${exactLine(id)}.`)
  return 0
}

function detailsOf(text: string | undefined): unknown {
  if (text === undefined) return undefined
  const value = parsed(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw usageFailure('The details are not a JSON object.', `Write them in quotes, such as \`'{"left": 4}'\`.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Has a model put the notes of a subject into words. */
export async function summarizeNotes(call: CommandCall, io: Io): Promise<number> {
  const summary = await connected(call.home, io, 'write', async (connection) => {
    const { id } = await findSubject(connection, call.words[1]!)
    return await ask<NotesSummary>(connection, pathTo('/api/subjects/', id, '/summary'), { method: 'POST' })
  })
  if (call.json) printJson(io, summary)
  else {
    print(io, harmless(summary.text, io.stdout))
    const kept = 'It is kept as long as the notes stay the same.'
    note(io, `${exactLine(summary.model)} put ${summary.lines} lines into words. ${kept}`)
  }
  return 0
}
