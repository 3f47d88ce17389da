import { join } from 'node:path'
import { changeSession, chooseAgent, showCost, undoTurn } from './chat/session-actions.ts'
import type { Conversation } from './conversation.ts'
import { exactLine } from './exact-text.ts'
import { CommandFailure, usageFailure } from './failure.ts'
import { attachNamed } from '../capabilities/files/cli/attach.ts'
import { refuseTools } from './for-persons.ts'
import { wrappedLine } from './help.ts'
import { type Io, lineLimit, note, print, width } from './io.ts'
import { fetchModels, modelTable } from './model-table.ts'
import { nearestName } from '../platform.ts'
import { outlineText } from './outline-text.ts'
import { preview } from './preview.ts'
import { chooseSubject } from '../capabilities/subjects/cli/choose.ts'
import { fetchSubjects } from '../capabilities/subjects/cli/find-subject.ts'
import { subjectTable } from '../capabilities/subjects/cli/list.ts'
import { table } from './table.ts'
import { fetchTools, toolTable } from './tools/tool-table.ts'

/** A command of a talk, without its slash. */
interface SlashCommand {
  readonly name: string
  /** What may follow it. */
  readonly argument?: string
  readonly summary: string
  /** It only shows something, whatever follows it (`always`) or where nothing does (`alone`): it need not wait for a turn. */
  readonly looks?: 'always' | 'alone'
}

/** In the order of the help. */
export const slashCommands: readonly SlashCommand[] = [
  { name: 'new', argument: '[WORDS]', summary: 'begin a new session, with WORDS as its first message' },
  { name: 'sessions', argument: '[ID]', summary: 'go on in another session, or list the newest', looks: 'alone' },
  { name: 'undo', summary: 'take the last message and its answer back: the model reads them no more' },
  { name: 'file', argument: 'PATH', summary: 'attach a file to the next message' },
  { name: 'context', summary: 'what the next call would send, piece by piece', looks: 'always' },
  { name: 'cost', summary: 'what the calls of this session used and cost', looks: 'always' },
  { name: 'model', argument: '[ID]', summary: 'choose the model of this session, or list them', looks: 'alone' },
  {
    name: 'agent',
    argument: '[ID]',
    summary: 'choose the agent of this session (`none`: the default), or list them',
    looks: 'alone',
  },
  {
    name: 'subject',
    argument: '[ID]',
    summary: 'choose what this session is about (`none`: nothing), or list subjects',
    looks: 'alone',
  },
  { name: 'tools', summary: 'which tools there are, and what may run', looks: 'always' },
  { name: 'help', summary: 'this list', looks: 'always' },
  { name: 'exit', summary: 'leave (also /quit)' },
]

/** One command a line; on a narrow terminal what it does stands below its name. */
export function slashHelp(columns: number): string {
  const rows = slashCommands.map(({ name, argument = '', summary }) => [`  /${name} ${argument}`.trimEnd(), summary])
  const lines = table(rows)
  if (Math.max(...lines.split('\n').map(({ length }) => length)) <= columns) return lines
  return rows
    .map(([name, summary]) => `${name}\n    ${wrappedLine(summary!, columns - 4).replaceAll('\n', '\n    ')}`)
    .join('\n')
}

/** Whether a line begins with one of them. */
export function isSlashCommand(line: string): boolean {
  return Object.hasOwn(actions, /^\S*/.exec(line)![0])
}

/** Whether a line needs no turn to be over: a command that shows something and changes nothing, or one that is not known. */
export function isForNow(line: string): boolean {
  const [first = ''] = /^\S*/.exec(line) ?? []
  if (COMMAND.test(first) && !SCRIPT.test(first) && !isSlashCommand(line)) return true
  const [, word, argument] = /^\/(\w+)\s*(.*)$/s.exec(line.trimEnd()) ?? []
  const looks = slashCommands.find(({ name }) => name === word)?.looks
  return looks === 'always' || (looks === 'alone' && argument === '')
}

/** What became of a line: a command that was done or not, or a message that is to be sent. */
export type LineResult = { readonly type: 'done' | 'failed' } | { readonly type: 'message'; readonly text: string }

/**
 * Does what a line that begins with a slash asks for. Any other line is a message. A command that is not known is never one:
 * it is refused with the nearest that is.
 */
export async function slashCommand(line: string, conversation: Conversation, io: Io): Promise<LineResult> {
  const [, word, argument] = /^(\S*)\s*(.*)$/s.exec(line.trimEnd())!
  const action = Object.hasOwn(actions, word!) ? actions[word!] : undefined
  try {
    if (action === undefined) return await messageOf(line, word!, conversation)
    const text = await action(conversation, io, argument === '' ? undefined : argument)
    return text === undefined ? { type: 'done' } : { type: 'message', text }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    note(io, error.message)
    if (error.hint !== undefined) note(io, `  ${error.hint}`)
    return { type: 'failed' }
  }
}

/** Answers a message that is to be sent, where there is one. */
type Action = (
  conversation: Conversation,
  io: Io,
  argument: string | undefined,
) => Promise<string | undefined | void> | string | undefined | void

const actions: Readonly<Record<string, Action>> = {
  '/new'(conversation, io, words) {
    conversation.after = conversation.session ?? conversation.after
    conversation.session = undefined
    conversation.attachments = []
    if (words !== undefined) return words
    note(io, 'The next message begins a new session.')
    return undefined
  },
  async '/file'(conversation, io, path) {
    if (path === undefined) throw usageFailure('Which file?', 'Write /file PATH.')
    const { connection, session, attachments } = conversation
    const added = await attachNamed(connection, [pathOf(path, io)], session, io)
    conversation.attachments = [...attachments, ...added]
    note(io, `${path} goes with the next message.`)
  },
  async '/context'(conversation, io) {
    const { manifest } = await preview(conversation.connection, { session: conversation.session })
    print(io, outlineText(manifest, io))
  },
  async '/model'(conversation, io, model) {
    if (model === undefined) return print(io, modelTable(await fetchModels(conversation.connection), lineLimit(io)))
    await conversation.setModel(model)
    note(io, `${model} answers from now on in this session.`)
  },
  async '/subject'(conversation, io, word) {
    if (word === undefined) return await listed(conversation, io)
    if (conversation.session !== undefined) refuseTools(io, 'change what a session is about')
    note(io, await chooseSubject(conversation, word))
  },
  '/agent': chooseAgent,
  '/sessions': changeSession,
  '/cost': showCost,
  '/undo': undoTurn,
  async '/tools'({ connection }, io) {
    print(io, await toolTable(await fetchTools(connection), lineLimit(io)))
  },
  '/help': (_conversation, io) => print(io, slashHelp(width(io))),
}

async function listed({ connection }: Conversation, io: Io): Promise<void> {
  const { subjects } = await fetchSubjects(connection)
  if (subjects.length === 0) note(io, 'There are no subjects. `foreword subjects new ID` makes one.')
  else print(io, subjectTable(subjects, io))
}

const COMMAND = /^\/[\w-]*$/
/** Lines that the rehearsal model acts on. */
const SCRIPT = /^\/(?:say|call|fail|slow)$/

/** A line that is no command of ours. What begins with a path is a message, and so are the lines of the rehearsal model's script. */
async function messageOf(line: string, word: string, conversation: Conversation): Promise<LineResult> {
  const isScript = SCRIPT.test(word) && (await conversation.model()) === 'rehearsal'
  if (!COMMAND.test(word) || isScript) return { type: 'message', text: line }
  const near = nearestName(word.slice(1), [...slashCommands.map(({ name }) => name), 'quit'])
  throw new CommandFailure('no-such-command', `there is no command ${exactLine(word)}. The line was not sent.`, {
    hint: `${near === undefined ? '/help lists the commands.' : `Did you mean /${near}?`} With a blank in front it is a message.`,
  })
}

/** As it was typed or dropped on the terminal: in quotes, or below the own folder. */
function pathOf(written: string, io: Io): string {
  const bare = /^(['"])(.*)\1$/s.exec(written)?.[2] ?? written
  const own = io.environment.HOME
  return own !== undefined && bare.startsWith('~/') ? join(own, bare.slice(2)) : bare
}
