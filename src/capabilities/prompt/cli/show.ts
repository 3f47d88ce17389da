import type { PromptVersion } from '../edited-prompt.ts'
import {
  ask,
  connected,
  exactLine,
  fullTimeText,
  harmless,
  note,
  oneLine,
  preview,
  print,
  printJson,
  table,
  timeText,
  width,
} from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'

interface EditedPrompt extends Partial<PromptVersion> {
  readonly edited: boolean
}

/** The prompt as it was edited; where it was not, the system message of a new session. */
export async function showPrompt(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, 'read', async (connection) => {
    const found = await ask<EditedPrompt>(connection, '/api/prompt')
    if (call.json) printJson(io, found)
    else if (found.text?.trim() === '') {
      note(
        io,
        `No system prompt is sent: version ${found.version}, ${fullTimeText(found.time ?? '', new Date())}. \`foreword prompt reset\` sends one.`,
      )
    } else if (found.text !== undefined) {
      print(io, harmless(found.text.trimEnd(), io.stdout))
      note(io, `Version ${found.version}, ${fullTimeText(found.time ?? '', new Date())}.`)
    } else {
      const { request } = await preview(connection, {})
      if (request.system === undefined) note(io, 'Nobody has edited it, and a new session has no system message.')
      else {
        print(io, harmless(request.system, io.stdout))
        note(io, 'Nobody has edited it: this is the whole system message of a new session.')
      }
    }
    return 0
  })
}

/** Every version, newest first. */
export async function listPromptVersions(call: CommandCall, io: Io): Promise<number> {
  const { versions } = await connected(call.home, io, 'read', (connection) =>
    ask<{ versions: readonly PromptVersion[] }>(connection, '/api/prompt/versions'),
  )
  if (call.json) for (const version of versions) printJson(io, version)
  else if (versions.length === 0) note(io, 'Nobody has edited it yet.')
  else print(io, versionTable(versions, io))
  return 0
}

function versionTable(versions: readonly PromptVersion[], io: Io): string {
  const now = new Date()
  const rows = versions.map(({ version, time, text }) => [
    String(version),
    timeText(time, now),
    text === undefined
      ? '(reset)'
      : text.trim() === ''
        ? '(none)'
        : oneLine(exactLine(text.replaceAll(/\s+/g, ' ')), Math.max(20, width(io) - 40)),
  ])
  return table([['version', 'time', 'text'], ...rows], [0])
}
