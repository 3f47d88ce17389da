import type { Pairings } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { type ChatReference, isPersonal } from './chat-reference.ts'
import { parseCommand } from './commands.ts'
import type { ParsedMessage } from './parsed-update.ts'
import { createPace } from './timing.ts'

export type ChatAccess = ReturnType<typeof createChatAccess>

/** Allows what the configuration names and what was paired. Every question reads the pairings: a removed one ends at once. */
export function createChatAccess(
  {
    allowedUsers,
    allowedChats,
    ofPerson = false,
  }: {
    readonly allowedUsers: readonly number[]
    readonly allowedChats: readonly number[]
    /** The home is that of a person. */
    readonly ofPerson?: boolean
  },
  pairings: Pick<Pairings, 'find'>,
) {
  const homeOf = async (id: number) => (ofPerson ? undefined : (await pairings.find('telegram', String(id)))?.home)
  const isPaired = async (id: number, kind: 'person' | 'group') => {
    const found = await pairings.find('telegram', String(id))
    return found?.kind === kind && (ofPerson || found.home === undefined)
  }
  const person = async (id: number) =>
    (allowedUsers.includes(id) && (await homeOf(id)) === undefined) || (await isPaired(id, 'person'))
  return {
    /** The person whose home a chat talks to; `undefined`: this one, or none. */
    homeOf,

    /** Known personally, and not only as a member of a group. */
    person,

    /** Whether messages of the chat with this id reach the agent. */
    chat: async (id: number) =>
      isPersonal(id) ? person(id) : allowedChats.includes(id) || (await isPaired(id, 'group')),
  }
}

/** Answers chats that may not talk to the agent. None of their messages reaches a model or a log. */
export type PairingGate = ReturnType<typeof createPairingGate>

interface PairingGateParts {
  readonly username: string
  readonly pairings: Pick<Pairings, 'redeem'>
  say(chat: ChatReference, text: string): Promise<void>
  /** Monotonic, ms. */
  now(): number
}

/** Each chat gets one explanation per hour, and may try this many codes. */
const HOUR = 3_600_000
const MOST_TRIES = 5
/** A crowd of strangers must not delay known chats: so many answers at once, then one per interval (ms). */
const ALL_ANSWERS = { burst: 20, everyMs: 3_000 }

export function createPairingGate({ username, pairings, say, now }: PairingGateParts) {
  const explanations = hourlyCounter(now)
  const tries = hourlyCounter(now)
  const answers = createPace(ALL_ANSWERS)

  async function answer(chat: ChatReference, text: string): Promise<void> {
    answers.take(now())
    await say(chat, text)
  }

  const isCrowded = () => answers.wait(now()) > 0

  /** Explains how to pair the chat, at most once an hour. */
  async function explain(chat: ChatReference): Promise<void> {
    if (!isCrowded() && explanations.count(chat.id) === 1) await answer(chat, pairingText(chat, username))
  }

  return {
    explain,

    /** Handles a message of such a chat. It may contain the code that pairs the chat. */
    async redeem({ chat, title, speaker, text }: ParsedMessage): Promise<void> {
      const code = parseCode(text)
      if (code === undefined) return explain(chat)
      if (tries.count(chat.id) > MOST_TRIES) return
      const person = speaker.id === undefined ? undefined : String(speaker.id)
      const isPaired = await pairings.redeem(code, {
        channel: 'telegram',
        chat: String(chat.id),
        title,
        kind: isPersonal(chat.id) ? 'person' : 'group',
        ...defined({ person }),
      })
      if (!isPaired) return isCrowded() ? undefined : answer(chat, wrongCode)
      explanations.forget(chat.id)
      tries.forget(chat.id)
      await say(chat, isPersonal(chat.id) ? welcome : groupWelcome)
    },
  }
}

/** In a group, Telegram is sure to deliver only messages that name the bot. */
function pairingText({ id }: ChatReference, username: string): string {
  const command = isPersonal(id) ? '/pair' : `/pair@${username}`
  return `This bot is private. Ask its owner to run \`foreword pair\`, then send the code here: ${command} CODE`
}

const wrongCode = 'This code is not valid. A code works once and expires after ten minutes.'
const welcome = 'This chat is paired. Send a message to talk to the agent. /help lists the commands.'
const groupWelcome =
  'This group is paired. Mention me, or reply to one of my messages, to talk to the agent. /help lists the commands.'

/** `/pair CODE`, `/start CODE`, or a message that is a code alone. */
function parseCode(text: string): string | undefined {
  const command = parseCommand(text)
  if (command?.name === 'pair' || command?.name === 'start') return command.argument?.slice(0, 100)
  return /^\w{4}\p{Pd}\w{4}$/u.test(text) ? text : undefined
}

/** The most chats that a counter remembers, so that a crowd of strangers cannot fill the memory. */
const MOST_CHATS = 10_000

function hourlyCounter(now: () => number): { count(chat: number): number; forget(chat: number): void } {
  const chats = new Map<number, { since: number; times: number }>()
  return {
    count(chat) {
      const known = chats.get(chat)
      const counted = known && now() - known.since < HOUR ? { ...known, times: known.times + 1 } : undefined
      const next = counted ?? { since: now(), times: 1 }
      if (!counted) chats.delete(chat)
      chats.set(chat, next)
      if (chats.size > MOST_CHATS) chats.delete(chats.keys().next().value!)
      return next.times
    },
    forget: (chat) => void chats.delete(chat),
  }
}
