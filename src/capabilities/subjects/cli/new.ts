import { ask, connected, exactLine, note, printJson, readNamedFile, usageFailure } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'

/** Makes a subject, with a brief where one is given. */
export async function newSubject(call: CommandCall, io: Io): Promise<number> {
  const [, id] = call.words
  const brief = await briefOf(call, io)
  const body = { id, ...(brief === undefined ? {} : { brief }) }
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
