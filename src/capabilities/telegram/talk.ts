import { defined } from '../../platform.ts'
import { type Runtime, RuntimeError, type Submitted } from '../../capability.ts'
import { beginSession } from '../../runtime.ts'
import type { Binding } from '../../session.ts'
import type { Access } from './access.ts'
import type { Together } from './albums.ts'
import type { TelegramPlace } from './api/sender.ts'
import { keyOf } from './asker.ts'
import { answerCommand } from './command/commands.ts'
import { type AskedCommand, type ChatCommand, commandIn } from './command/command.ts'
import { conversationOf, isPersonal } from './conversation.ts'
import type { PairingGate } from './pairing-gate.ts'
import type { FollowedTurn } from './follow-turn.ts'
import type { ParsedMessage } from './parsed-update.ts'
import type { ParsedFile } from './parsed-files.ts'
import type { TakenFiles } from './take-files.ts'

export interface TalkParts {
  readonly runtime: Runtime
  /** Id of the bot. */
  readonly bot: number
  readonly access: Access
  readonly commands: readonly ChatCommand[]
  readonly pairingGate: PairingGate
  say(place: TelegramPlace, text: string): Promise<void>
  take(files: readonly ParsedFile[]): Promise<TakenFiles>
  /** Turns that the message has ended before it was handled. */
  readonly endedAhead: Promise<readonly string[]>
  /** Shows the turn while it runs. Does not wait for it. */
  follow(followed: FollowedTurn): void
}

/**
 * Handles what somebody said: a command is answered, a message becomes input. May be called again with the same messages,
 * as after a crash: the same input is the same turn. Rejects where nothing was done and it may go well later.
 */
export async function talk(messages: Together, parts: TalkParts): Promise<void> {
  const first = messages.find(({ addressed }) => addressed)
  if (!first) return
  const { access, pairingGate, say, runtime } = parts
  const { place } = first
  if (!(await access.chat(place.chat))) return pairingGate.hear(first)
  const binding = bindingOf(place)
  const files = messages.flatMap((message) => message.files)
  const words = wordsOf(messages)
  const command = commandOf(messages, first)
  const begins = command?.name === 'new' ? command.argument : undefined
  if (command && begins === undefined) {
    const endedAhead = await parts.endedAhead
    return say(place, await answerCommand(command, parts.commands, { runtime, binding, endedAhead }))
  }
  if (words === '' && files.length === 0)
    return say(place, 'I can read text, photos and files: there is none of it here.')
  const said: Said = { messages, first, words: begins ?? words, files }
  const session =
    begins === undefined
      ? await runtime.sessionFor(binding)
      : await beginSession(runtime, binding, keyOfMessage(said, parts))
  const submitted = await submit(session, said, parts)
  if (submitted) parts.follow({ session: submitted.session, turn: submitted.turn, place })
}

/** The conversation of a place, as the log has it. */
export function bindingOf(place: TelegramPlace): Binding {
  return { channel: 'telegram', conversation: conversationOf(place) }
}

/** What a message asks of the bot itself. What somebody else wrote commands nothing, and neither does what a file bears. */
export function commandOf(messages: readonly ParsedMessage[], first: ParsedMessage): AskedCommand | undefined {
  const isPlain = first.forwardedFrom === undefined && messages.every(({ files }) => files.length === 0)
  return isPlain ? commandIn(wordsOf(messages)) : undefined
}

function wordsOf(messages: readonly ParsedMessage[]): string {
  return messages.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n')
}

interface Said {
  readonly messages: Together
  readonly first: ParsedMessage
  readonly words: string
  readonly files: readonly ParsedFile[]
}

async function submit(
  session: string,
  said: Said,
  parts: TalkParts,
): Promise<Pick<Submitted, 'session' | 'turn'> | undefined> {
  const { runtime, say } = parts
  const { first, files } = said
  const idempotencyKey = keyOfMessage(said, parts)
  const before = await runtime.store.inputByKey(session, idempotencyKey)
  if (before?.type === 'input') return { session, turn: before.turn }
  const { ids, faults } = files.length === 0 ? { ids: [], faults: [] } : await parts.take(files)
  if (faults.length > 0) await say(first.place, `This was not taken:\n${faults.join('\n')}`)
  if (said.words === '' && ids.length === 0) return undefined
  try {
    return await runtime.submit({
      session,
      text: spoken(said, ids.length),
      idempotencyKey,
      ...(ids.length === 0 ? {} : { attachments: ids }),
    })
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'invalid-input') throw error
    await say(first.place, error.message)
    return undefined
  }
}

function keyOfMessage({ messages, first }: Said, { bot }: TalkParts): string {
  const { id: person } = first.speaker
  return keyOf({ bot, update: messages[0].update, ...defined({ person }) })
}

/** In a group everybody speaks to the same agent: it reads who says what, and no line of one looks like another one's. */
function spoken({ first: { place, speaker, forwardedFrom, answers }, words }: Said, files: number): string {
  const own = words === '' ? (files === 1 ? '(a file, without words)' : `(${files} files, without words)`) : words
  const about = [
    ...(answers ? [`(in answer to ${answers.by}: "${answers.text}")`] : []),
    ...(forwardedFrom === undefined ? [] : [`(forwarded from ${forwardedFrom})`]),
  ]
  const text = [...about, own].join('\n')
  if (isPersonal(place.chat)) return text
  const name = speaker.handle === undefined ? speaker.name : `${speaker.name} (${speaker.handle})`
  return `${name}: ${text.replaceAll(/\r\n?|[\n\u2028\u2029]/g, '\n  ')}`
}
