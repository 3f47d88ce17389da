import { join } from 'node:path'
import type { Conversation } from './conversation.ts'
import { CommandFailure, usageFailure } from './failure.ts'
import { attach } from './files/attach.ts'
import { refuseTools } from './for-persons.ts'
import { type Io, note, print } from './io.ts'
import { fetchModels, modelTable } from './model-table.ts'
import { nearestName } from './nearest-name.ts'
import { outlineText } from './outline-text.ts'
import { preview } from './preview.ts'
import { chooseSubject } from './subjects/choose.ts'
import { fetchSubjects } from './subjects/find-subject.ts'
import { subjectTable } from './subjects/list.ts'

export const slashHelp = [
  '  /new [WORDS]   begin a new session, with WORDS as its first message',
  '  /file PATH     attach a file to the next message',
  '  /context       what the next call would send, piece by piece',
  '  /model [ID]    choose the model of this session, or list them',
  '  /subject [ID]  choose what this session is about (`none`: nothing), or list subjects',
  '  /help          this list',
  '  /quit          leave',
].join('\n')

/** What became of a line: a command that was done or not, or a message that is to be sent. */
export type LineResult = { readonly type: 'done' | 'failed' } | { readonly type: 'message'; readonly text: string }

/** Does what a line that begins with a slash asks for. Any other line is a message. */
export async function slashCommand(line: string, conversation: Conversation, io: Io): Promise<LineResult> {
  const [, word, argument] = /^(\S*)\s*(.*)$/s.exec(line.trim())!
  const action = Object.hasOwn(actions, word!) ? actions[word!] : undefined
  if (action === undefined) return isMistyped(line.trim(), io) ? { type: 'failed' } : { type: 'message', text: line }
  try {
    const text = await action(conversation, io, argument === '' ? undefined : argument)
    return text === undefined ? { type: 'done' } : { type: 'message', text }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    note(io, error.message)
    if (error.mend !== undefined) note(io, `  ${error.mend}`)
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
    const added = await attach(connection, [pathOf(path, io)], session, io)
    conversation.attachments = [...attachments, ...added]
    note(io, `${path} goes with the next message.`)
  },
  async '/context'(conversation, io) {
    const { manifest } = await preview(conversation.connection, { session: conversation.session })
    print(io, await outlineText(manifest, io))
  },
  async '/model'(conversation, io, model) {
    if (model === undefined) return print(io, modelTable(await fetchModels(conversation.connection)))
    await conversation.setModel(model)
    note(io, `${model} answers from now on in this session.`)
  },
  async '/subject'(conversation, io, word) {
    if (word === undefined) return await listed(conversation, io)
    if (conversation.session !== undefined) refuseTools(io, 'change what a session is about')
    note(io, await chooseSubject(conversation, word))
  },
  '/help': (_conversation, io) => print(io, slashHelp),
}

async function listed({ connection }: Conversation, io: Io): Promise<void> {
  const { subjects } = await fetchSubjects(connection)
  if (subjects.length === 0) note(io, 'There are no subjects. `foreword subjects new ID` makes one.')
  else print(io, subjectTable(subjects, io))
}

/** A single slash word that is nearly one of ours is held back; everything else goes to the model. */
function isMistyped(line: string, io: Io): boolean {
  if (!/^\/\w+$/.test(line)) return false
  const near = nearestName(line.slice(1), ['new', 'file', 'context', 'model', 'subject', 'help', 'quit'])
  if (near === undefined) return false
  note(io, `Did you mean /${near}? The line was not sent.`)
  return true
}

/** As it was typed or dropped on the terminal: in quotes, or below the own folder. */
function pathOf(written: string, io: Io): string {
  const bare = /^(['"])(.*)\1$/s.exec(written)?.[2] ?? written
  const own = io.environment.HOME
  return own !== undefined && bare.startsWith('~/') ? join(own, bare.slice(2)) : bare
}
