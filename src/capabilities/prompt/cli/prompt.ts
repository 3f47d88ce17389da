import {
  requestJson,
  type RequestInput,
  withConnection,
  fullTimeText,
  safeForTerminal,
  yesOption,
  note,
  singleLine,
  fetchPreview,
  print,
  printJson,
  readNamedFile,
  commandWithSubcommands,
  table,
  timeText,
  parseVersion,
  width,
  requestList,
  printChange,
  listCommand,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import type { PromptVersion } from '../edited-prompt.ts'

const forPersons = 'change the system prompt'

export const promptCommand = commandWithSubcommands({
  name: 'prompt',
  group: 'set-up',
  summary: 'show, edit and reset the system prompt',
  details:
    'An edited prompt replaces the one in the home, or the packaged one, until it is reset. `edit -` reads standard input. ' +
    'Each step replaces {{date}}, {{tools}} and {{citations}} in it; {{date}} also works inside a sentence. With `none`, or ' +
    'a blank text, no system prompt is sent. Every edit and every reset makes a version.',
  options: { yes: yesOption },
  first: 'show',
  subcommands: {
    show: { usage: '[--json]', run: showPrompt },
    edit: {
      usage: 'FILE',
      forPersons,
      run: async (call, io) => putPrompt(await readNamedFile(call.words[1]!, io), call, io),
    },
    none: { forPersons, run: (call, io) => putPrompt('', call, io) },
    reset: { forPersons, run: (call, io) => change('/api/prompt', { method: 'DELETE' }, call, io) },
    versions: {
      usage: '[--json]',
      run: listCommand((connection) => requestList<PromptVersion>(connection, '/api/prompt/versions', 'versions'), {
        empty: 'No versions yet. Edit the prompt with `foreword prompt edit FILE`.',
        table: versionTable,
      }),
    },
    restore: {
      usage: 'N',
      forPersons,
      async run(call, io) {
        const body = { version: parseVersion(call.words[1]!) }
        return await change('/api/prompt/restore', { method: 'POST', body }, call, io)
      },
    },
  },
})

function putPrompt(text: string, call: CommandCall, io: Io): Promise<number> {
  return change('/api/prompt', { method: 'PUT', body: { text } }, call, io)
}

async function change(path: string, init: RequestInput, call: CommandCall, io: Io): Promise<number> {
  const made = await withConnection(call.home, io, 'write', (connection) =>
    requestJson<PromptVersion>(connection, path, init),
  )
  return printChange(made, changeText(made), call, io)
}

function changeText({ text, version }: PromptVersion): string {
  if (text === undefined) return `Reset the prompt (version ${version}).`
  if (text.trim() !== '') return `Set the prompt (version ${version}). It takes effect at the next turn.`
  const hint = '  `foreword prompt reset` returns to the prompt of the home, or the packaged one.'
  return `Set the prompt to none (version ${version}). It takes effect at the next turn.\n${hint}`
}

interface EditedPrompt extends Partial<PromptVersion> {
  readonly edited: boolean
}

async function showPrompt(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, 'read', async (connection) => {
    const found = await requestJson<EditedPrompt>(connection, '/api/prompt')
    if (call.json) printJson(io, found)
    else if (found.text?.trim() === '') {
      const since = fullTimeText(found.time ?? '', new Date())
      const how = 'Send one again with `foreword prompt reset`.'
      note(io, `No system prompt is sent (version ${found.version}, ${since}). ${how}`)
    } else if (found.text !== undefined) {
      print(io, safeForTerminal(found.text.trimEnd(), io.stdout))
      note(io, `Version ${found.version}, ${fullTimeText(found.time ?? '', new Date())}.`)
    } else {
      const { request } = await fetchPreview(connection, {})
      if (request.system === undefined) note(io, 'The prompt is not edited, and a new session has no system message.')
      else {
        print(io, safeForTerminal(request.system, io.stdout))
        note(io, 'The prompt is not edited. This is the whole system message of a new session.')
      }
    }
    return 0
  })
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
        : singleLine(exactLine(text.replaceAll(/\s+/g, ' ')), Math.max(20, width(io) - 40)),
  ])
  return table([['version', 'time', 'text'], ...rows], [0])
}
