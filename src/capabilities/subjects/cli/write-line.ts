import { ask, connected, exactLine, note, pathTo, printJson, usageFailure } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { findSubject } from './find-subject.ts'

/** Writes down what was done. */
export async function logOperation(call: CommandCall, io: Io): Promise<number> {
  const [, word, op] = call.words
  const details = detailsOf(call.text('details'))
  return await writeLine(word!, 'log', { op, ...(details === undefined ? {} : { details }) }, call, io)
}

/** Writes down what could not be done. */
export async function logGap(call: CommandCall, io: Io): Promise<number> {
  const [, word, ...words] = call.words
  const category = call.text('category')
  const body = { description: words.join(' '), ...(category === undefined ? {} : { intent_category: category }) }
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
