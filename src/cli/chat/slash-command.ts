import { exactLine } from '../../context.ts'
import { join } from 'node:path'
import type { AnyCapability, Io } from '../../capability.ts'
import { ForewordError, nearestHint } from '../../platform.ts'
import { requestJson, type RequestInput } from '../answer.ts'
import { attachNamed } from '../attach/attach.ts'
import { CommandFailure, refuseTools, usageFailure } from '../failure.ts'
import { wrappedLine } from '../wrapped-line.ts'
import { lineLimit, note, print, width } from '../io.ts'
import { fetchModels, modelTable, withNearestModel } from '../model-table.ts'
import { fetchPreview, forecastLines, outlineText, fetchTokenScale } from '../preview.ts'
import {
  sessionChoices,
  setSessionChoices,
  findOption,
  listOptions,
  type CommandChoice,
  sessionWithChoices,
} from '../session-choices.ts'
import { fittedTable, table } from '../table.ts'
import { fetchTools, toolTable } from '../tools/tool-table.ts'
import type { Chat } from './conversation.ts'
import { changeSession, showCost, undoTurn } from './session-actions.ts'

/** A command of the chat, without its slash. */
export interface TerminalCommand {
  readonly name: string
  readonly argument?: string
  readonly summary: string
  /** Whether it only shows something, and so need not wait for a turn: `always`, or `alone` for without an argument. */
  readonly shows?: 'always' | 'alone'
  /** Returns a message to send, if any. */
  run(
    conversation: Chat,
    io: Io,
    argument: string | undefined,
  ): Promise<string | undefined | void> | string | undefined | void
}

/** Every command in the order of the help: those of the host, one for each choice of a session, those of capabilities. */
export function slashCommands(capabilities: readonly AnyCapability[] = []): readonly TerminalCommand[] {
  const contributed = capabilities.flatMap(({ slashCommands: own = {} }) =>
    Object.entries(own).map(([name, command]): TerminalCommand => ({
      ...command,
      name,
      async run({ connection, session }, io, argument = '') {
        const text = await command.run({
          argument,
          session,
          ask: (path, init = {}) => requestJson(connection, path, init as RequestInput),
        })
        if (command.sends && argument !== '') return text
        if (text !== undefined) print(io, text)
        return undefined
      },
    })),
  )
  return [...inSession, ...sessionChoices({ capabilities }).map(choiceCommand), ...contributed, ...ofProgram]
}

/** The help, one command per line. A narrow terminal shows the summary below the name. */
export function slashHelp(capabilities: readonly AnyCapability[] | undefined, columns: number): string {
  const rows = slashCommands(capabilities).map(({ name, argument = '', summary }) => [
    `  /${name} ${argument}`.trimEnd(),
    summary,
  ])
  const lines = table(rows)
  if (Math.max(...lines.split('\n').map(({ length }) => length)) <= columns) return lines
  return rows
    .map(([name, summary]) => `${name}\n    ${wrappedLine(summary!, columns - 4).replaceAll('\n', '\n    ')}`)
    .join('\n')
}

export function isSlashCommand(line: string, { capabilities }: Pick<Io, 'capabilities'>): boolean {
  return commandNamed(/^\S*/.exec(line)![0], capabilities) !== undefined
}

function commandNamed(word: string, capabilities: Io['capabilities']): TerminalCommand | undefined {
  return slashCommands(capabilities).find(({ name }) => word === `/${name}` && name !== LEAVING)
}

/** Whether a line need not wait for the running turn: a command that only shows something, or an unknown one. */
export function runsAtOnce(line: string, { capabilities }: Pick<Io, 'capabilities'>): boolean {
  const [first = ''] = /^\S*/.exec(line) ?? []
  const command = commandNamed(first, capabilities)
  if (command === undefined) return COMMAND.test(first) && scriptProvider(first, capabilities) === undefined
  return command.shows === 'always' || (command.shows === 'alone' && line.slice(first.length).trim() === '')
}

/** The result of a line: a command that was done or failed, or a message to send. */
export type LineResult = { readonly type: 'done' | 'failed' } | { readonly type: 'message'; readonly text: string }

/** Runs a line that begins with a slash. An unknown command is refused with the nearest one, never sent as a message. */
export async function runSlashCommand(line: string, conversation: Chat, io: Io): Promise<LineResult> {
  const [, word, argument] = /^(\S*)\s*(.*)$/s.exec(line.trimEnd())!
  const command = commandNamed(word!, io.capabilities)
  try {
    if (command === undefined) return await readMessage(line, word!, conversation, io)
    const text = await command.run(conversation, io, argument === '' ? undefined : argument)
    return text === undefined ? { type: 'done' } : { type: 'message', text }
  } catch (error) {
    if (!(error instanceof ForewordError)) throw error
    note(io, error.message)
    if (error.hint !== undefined) note(io, `  ${error.hint}`)
    return { type: 'failed' }
  }
}

const LEAVING = 'exit'

const inSession: readonly TerminalCommand[] = [
  {
    name: 'new',
    argument: '[WORDS]',
    summary: 'start a new session, with WORDS as its first message',
    run(conversation, io, words) {
      conversation.after = conversation.session ?? conversation.after
      conversation.session = undefined
      conversation.attachments = []
      if (words !== undefined) return words
      note(io, 'The next message starts a new session.')
      return undefined
    },
  },
  {
    name: 'sessions',
    argument: '[ID]',
    summary: 'continue another session, or list the newest',
    shows: 'alone',
    run: changeSession,
  },
  {
    name: 'undo',
    summary: 'undo the last message and its answer, so that the model no longer reads them',
    run: undoTurn,
  },
  {
    name: 'file',
    argument: 'PATH',
    summary: 'attach a file, or a stored one of the project by its name, to the next message',
    async run(conversation, io, path) {
      if (path === undefined) throw usageFailure('A path is missing.', 'Usage: /file PATH')
      const { connection, session, attachments } = conversation
      const added = await attachNamed(connection, [filePath(path, io)], session, io)
      conversation.attachments = [...attachments, ...added]
      note(io, `Attached ${path} to the next message.`)
    },
  },
  {
    name: 'context',
    summary: 'show what the next call would send, piece by piece',
    shows: 'always',
    async run(conversation, io) {
      const preview = await fetchPreview(conversation.connection, { session: conversation.session })
      print(io, [outlineText(preview, io), ...forecastLines(preview, io)].join('\n'))
    },
  },
  { name: 'cost', summary: 'show what the calls of this session used and cost', shows: 'always', run: showCost },
  {
    name: 'model',
    argument: '[ID]',
    summary: 'set the model of this session, or list the models',
    shows: 'alone',
    async run(conversation, io, model) {
      if (model === undefined) return print(io, modelTable(await fetchModels(conversation.connection), lineLimit(io)))
      await withNearestModel(conversation.connection, model, () => conversation.setModel(model))
      note(io, `Set the model of this session to ${model}.`)
    },
  },
]

const ofProgram: readonly TerminalCommand[] = [
  {
    name: 'tools',
    summary: 'list the tools and their access',
    shows: 'always',
    async run({ connection }, io) {
      const [tools, sized] = [await fetchTools(connection), await fetchTokenScale(connection)]
      print(io, await toolTable(tools, sized, lineLimit(io)))
    },
  },
  {
    name: 'help',
    summary: 'show this list',
    shows: 'always',
    run: (_conversation, io) => print(io, slashHelp(io.capabilities, width(io))),
  },
  { name: LEAVING, summary: 'leave (also /quit)', run: () => undefined },
]

/** A command such as `/agent`: lists the options, or sets one from the next turn on; `none` removes it. */
function choiceCommand({ name: choice, none, several }: CommandChoice): TerminalCommand {
  const chosen = (what: string) => `Set the ${choice} of this session to ${what}.`
  return {
    name: choice,
    argument: several ? '[ID,…]' : '[ID]',
    summary: `set the ${choice} of this session (\`none\`: ${none}), or list the options`,
    shows: 'alone',
    async run(conversation, io, word) {
      const { connection, session } = conversation
      if (word === undefined) return await showOptions(conversation, choice, io)
      if (session !== undefined) refuseTools(io, 'change a session')
      if (word === 'none') {
        if (session !== undefined) await setSessionChoices(connection, session, { [choice]: null })
        return note(io, chosen(none))
      }
      const { id, name = id } = await findOption(connection, { name: choice, several }, word)
      conversation.session = await sessionWithChoices(connection, session, { [choice]: id })
      note(io, chosen(exactLine(name)))
    },
  }
}

async function showOptions({ connection }: Chat, choice: string, io: Io): Promise<void> {
  const options = await listOptions(connection, choice)
  if (options === undefined) return note(io, `The options cannot be listed. Write /${choice} ID.`)
  if (options.length === 0) return note(io, `No ${choice}s yet.`)
  const rows = [['id', 'name', 'summary']].concat(
    options.map(({ id, name = '', summary = '' }) => [id, exactLine(name), exactLine(summary)]),
  )
  const columns = [0, 1, 2].filter((column) => column === 0 || rows.slice(1).some((row) => row[column] !== ''))
  const shown = rows.map((row) => columns.map((column) => row[column]!))
  print(io, fittedTable(shown, { columns: lineLimit(io), spare: [columns.length - 1] }))
}

const COMMAND = /^\/[\w-]*$/
/** The kind of provider whose models act on lines that begin with a word. */
function scriptProvider(word: string, capabilities: Io['capabilities'] = []): string | undefined {
  return capabilities
    .flatMap(({ models }) => models?.providers ?? [])
    .find(({ script = [] }) => script.some((name) => word === `/${name}`))?.kind
}

/** A line that begins with a path is a message, and so is one that the model itself acts on. Any other is refused. */
async function readMessage(line: string, word: string, conversation: Chat, io: Io): Promise<LineResult> {
  const script = scriptProvider(word, io.capabilities)
  const isScript = script !== undefined && (await conversation.model()).split('/', 1)[0] === script
  if (!COMMAND.test(word) || isScript) return { type: 'message', text: line }
  const names = [...slashCommands(io.capabilities).map(({ name }) => name), 'quit']
  const near = nearestHint(word.slice(1), names, 'List the commands with /help.', (name) => `/${name}`)
  throw new CommandFailure('no-such-command', `Unknown command "${exactLine(word)}". The line was not sent.`, {
    hint: `${near} To send the line as a message, begin it with a space.`,
  })
}

/** A path as it was typed or dropped on the terminal: in quotes, or below `~`. */
function filePath(written: string, io: Io): string {
  const bare = /^(['"])(.*)\1$/s.exec(written)?.[2] ?? written
  const own = io.environment.HOME
  return own !== undefined && bare.startsWith('~/') ? join(own, bare.slice(2)) : bare
}
