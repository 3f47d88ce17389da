import { type Runtime, RuntimeError, type SubmittedTurn } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { beginSession } from '../../runtime.ts'
import type { ChatAccess, PairingGate } from './access.ts'
import type { ReceivedFiles } from './api/received-files.ts'
import { chatBinding, type ChatReference, inputKey, isPersonal } from './chat-reference.ts'
import { type ParsedCommand, type ChatCommand, parseCommand } from './command/command.ts'
import { runChatCommand } from './command/commands.ts'
import type { FollowedTurn } from './follow-turn.ts'
import type { MessageGroup, ParsedFile, ParsedMessage } from './parsed-update.ts'

export interface HandleMessageParts {
  readonly runtime: Runtime
  readonly bot: number
  readonly access: ChatAccess
  readonly commands: readonly ChatCommand[]
  readonly pairingGate: PairingGate
  say(chat: ChatReference, text: string): Promise<void>
  receive(files: readonly ParsedFile[]): Promise<ReceivedFiles>
  /** Turns that a /stop cancelled ahead of its place. */
  readonly endedAhead: Promise<readonly string[]>
  follow(followed: FollowedTurn): void
}

/**
 * Runs a command, or submits a message as input. The same messages, as after a crash, are the same turn. Rejects
 * where nothing was done and a retry may succeed.
 */
export async function handleMessage(messages: MessageGroup, parts: HandleMessageParts): Promise<void> {
  const first = messages.find(({ addressed }) => addressed)
  if (!first) return
  const { access, pairingGate, say, runtime } = parts
  const { chat } = first
  if (!(await access.chat(chat.id))) return pairingGate.redeem(first)
  const binding = chatBinding(chat)
  const files = messages.flatMap((message) => message.files)
  const words = joinedWords(messages)
  const command = messageCommand(messages, first)
  const begins = command?.name === 'new' ? command.argument : undefined
  if (command && begins === undefined) {
    const endedAhead = await parts.endedAhead
    return say(chat, await runChatCommand(command, parts.commands, { runtime, binding, endedAhead }))
  }
  if (words === '' && files.length === 0)
    return say(chat, 'I can read text, photos and files. This message has none of them.')
  const input: MessageInput = { messages, first, words: begins ?? words, files }
  const session =
    begins === undefined
      ? await runtime.sessionFor(binding)
      : await beginSession(runtime, binding, messageKey(input, parts))
  const submitted = await submit(session, input, parts)
  if (submitted) parts.follow({ session: submitted.session, turn: submitted.turn, chat })
}

/** The command of a message. Forwarded words and captions of files are no commands. */
export function messageCommand(messages: readonly ParsedMessage[], first: ParsedMessage): ParsedCommand | undefined {
  const isPlain = first.forwardedFrom === undefined && messages.every(({ files }) => files.length === 0)
  return isPlain ? parseCommand(joinedWords(messages)) : undefined
}

function joinedWords(messages: readonly ParsedMessage[]): string {
  return messages.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n')
}

interface MessageInput {
  readonly messages: MessageGroup
  readonly first: ParsedMessage
  readonly words: string
  readonly files: readonly ParsedFile[]
}

async function submit(
  session: string,
  input: MessageInput,
  parts: HandleMessageParts,
): Promise<Pick<SubmittedTurn, 'session' | 'turn'> | undefined> {
  const { runtime, say } = parts
  const { first, files, words } = input
  const idempotencyKey = messageKey(input, parts)
  const before = await runtime.store.inputByKey(session, idempotencyKey)
  if (before?.type === 'input') return { session, turn: before.turn }
  const { ids, faults } = files.length === 0 ? { ids: [], faults: [] } : await parts.receive(files)
  if (faults.length > 0) await say(first.chat, `The agent did not receive:\n${faults.join('\n')}`)
  if (words === '' && ids.length === 0) return undefined
  try {
    return await runtime.submit({
      session,
      text: inputText(input, ids.length),
      idempotencyKey,
      channel: 'telegram',
      ...(ids.length === 0 ? {} : { attachments: ids }),
    })
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'invalid-input') throw error
    await say(first.chat, error.message)
    return undefined
  }
}

function messageKey({ messages, first }: MessageInput, { bot }: HandleMessageParts): string {
  const { id: person } = first.speaker
  return inputKey({ bot, update: messages[0].update, ...defined({ person }) })
}

/** In a group, each message begins with its sender, and further lines are indented, so that none can imitate another sender. */
function inputText({ first: { chat, speaker, forwardedFrom, answers }, words }: MessageInput, files: number): string {
  const own = words === '' ? (files === 1 ? '(a file, without words)' : `(${files} files, without words)`) : words
  const about = [
    ...(answers ? [`(in answer to ${answers.by}: "${answers.text}")`] : []),
    ...(forwardedFrom === undefined ? [] : [`(forwarded from ${forwardedFrom})`]),
  ]
  const text = [...about, own].join('\n')
  if (isPersonal(chat.id)) return text
  const name = speaker.handle === undefined ? speaker.name : `${speaker.name} (${speaker.handle})`
  return `${name}: ${text.replaceAll(/\r\n?|[\n\u2028\u2029]/g, '\n  ')}`
}
