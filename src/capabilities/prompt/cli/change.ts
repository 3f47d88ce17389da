import type { PromptVersion } from '../edited-prompt.ts'
import { ask, type AskInit, connected, note, printJson, readNamedFile, versionNamed } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'

/** Takes the text of a file, or of the standard input, as the system prompt. */
export async function editPrompt(call: CommandCall, io: Io): Promise<number> {
  const text = await readNamedFile(call.words[1]!, io)
  return await change('/api/prompt', { method: 'PUT', body: { text } }, call, io)
}

/** Sends no system prompt at all, until it is edited or reset. */
export function sendNoPrompt(call: CommandCall, io: Io): Promise<number> {
  return change('/api/prompt', { method: 'PUT', body: { text: '' } }, call, io)
}

export function resetPrompt(call: CommandCall, io: Io): Promise<number> {
  return change('/api/prompt', { method: 'DELETE' }, call, io)
}

export function restorePrompt(call: CommandCall, io: Io): Promise<number> {
  const version = versionNamed(call.words[1]!)
  return change('/api/prompt/restore', { method: 'POST', body: { version } }, call, io)
}

async function change(path: string, init: AskInit, call: CommandCall, io: Io): Promise<number> {
  const made = await connected(call.home, io, 'write', (connection) => ask<PromptVersion>(connection, path, init))
  if (call.json) printJson(io, made)
  else if (made.text === undefined) note(io, `The prompt is reset, as version ${made.version}.`)
  else if (made.text.trim() === '') {
    note(io, `No system prompt is sent from the next turn on, as of version ${made.version}.`)
    note(io, '  `foreword prompt reset` sends the one of the home, or the packaged one, again.')
  } else note(io, `The prompt is version ${made.version} now. It counts from the next turn on.`)
  return 0
}
