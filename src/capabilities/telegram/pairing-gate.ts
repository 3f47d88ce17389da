import type { Pairings } from '../../capability.ts'
import { createPace } from './api/pace.ts'
import type { TelegramPlace } from './api/sender.ts'
import { commandIn } from './command/command.ts'
import { isPersonal } from './conversation.ts'
import type { ParsedMessage } from './parsed-update.ts'

/** Speaks with chats that may not talk to the agent. Nothing of it reaches a model or a log. */
export interface PairingGate {
  /** Somebody says something in a chat that is not let in: perhaps the code that lets it in. */
  hear(message: ParsedMessage): Promise<void>
  /** Says how a chat is let in, unless it was told lately. */
  tell(place: TelegramPlace): Promise<void>
}

export interface PairingGateParts {
  /** What the bot is called, without `@`. */
  readonly username: string
  readonly pairings: Pick<Pairings, 'redeem'>
  say(place: TelegramPlace, text: string): Promise<void>
  /** Monotonic, ms. */
  now(): number
}

/** One answer an hour for each chat, and a few more where codes are tried. */
const HOUR = 3_600_000
const MOST_TRIES = 5
/** A crowd of strangers is not answered at the cost of those who are known: so many at once, then one in so many ms. */
const ALL_ANSWERS = { burst: 20, everyMs: 3_000 }

export function createPairingGate({ username, pairings, say, now }: PairingGateParts): PairingGate {
  const told = lately(now)
  const tried = lately(now)
  const answers = createPace(ALL_ANSWERS)

  async function answer(place: TelegramPlace, text: string): Promise<void> {
    answers.take(now())
    await say(place, text)
  }

  const isCrowded = () => answers.wait(now()) > 0

  async function tell(place: TelegramPlace): Promise<void> {
    if (!isCrowded() && told.count(place.chat) === 1) await answer(place, strangerText(place, username))
  }

  return {
    tell,
    async hear(message) {
      const { place, title, speaker } = message
      const code = codeIn(message.text)
      if (code === undefined) return tell(place)
      if (tried.count(place.chat) > MOST_TRIES) return
      const isPaired = await pairings.redeem(code, {
        channel: 'telegram',
        chat: String(place.chat),
        title,
        kind: isPersonal(place.chat) ? 'person' : 'group',
        ...(speaker.id === undefined ? {} : { person: String(speaker.id) }),
      })
      if (!isPaired) return isCrowded() ? undefined : answer(place, wrongCode)
      told.forget(place.chat)
      tried.forget(place.chat)
      await say(place, isPersonal(place.chat) ? welcome : groupWelcome)
    },
  }
}

/** In a group a bot is sure to hear only what names it. */
function strangerText({ chat }: TelegramPlace, username: string): string {
  const command = isPersonal(chat) ? '/pair' : `/pair@${username}`
  return `This bot is private. Its owner can let you in: \`foreword pair\` shows a code; send it here as ${command} CODE.`
}

const wrongCode = 'That code is not valid. It can be used once, for ten minutes.'
const welcome = 'This chat is paired. Write something, and the agent answers. /help lists what else there is.'
const groupWelcome =
  'This group is paired. Mention me, or answer one of my messages, and the agent answers. /help lists what else there is.'

/** A code with its command, or as it is shown, by itself. */
function codeIn(text: string): string | undefined {
  const command = commandIn(text)
  if (command?.name === 'pair' || command?.name === 'start') return command.argument?.slice(0, 100)
  return /^\w{4}\p{Pd}\w{4}$/u.test(text) ? text : undefined
}

/** Chats that are remembered at a time: a crowd of strangers takes no more room than that. */
const MOST_CHATS = 10_000

/** Counts how often something happened in a chat within an hour. */
function lately(now: () => number): { count(chat: number): number; forget(chat: number): void } {
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
