import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { messageText } from '../../src/context.ts'
import type { Channel } from '../../src/capability.ts'
import type { Runtime } from '../home/features.ts'
import type { Entry } from '../../src/session.ts'
import { type ScriptedMessage, type ScriptedTelegram, scriptedTelegram } from '../../src/testing.ts'
import { fastTime } from './fast-time.ts'
import { type Opened, opened, type Setting } from '../runtime/opened.ts'
import { telegramChannel, type TelegramOptions } from '../../src/capabilities/telegram/telegram-channel.ts'
import { telegramTimes } from '../../src/capabilities/telegram/timing.ts'

/** A Bot API server, and a runtime with a channel to it. */
export interface TelegramHome {
  readonly telegram: ScriptedTelegram
  /** Folder of what came in. */
  readonly inbox: string
  readonly runtime: Runtime
  readonly channel: Channel
  readonly warnings: readonly string[]
  /** What the bot has said in a chat, as it reads now. */
  said(chat: number): readonly string[]
  /** Waits until the bot's messages in a chat are exactly these. */
  reads(chat: number, ...texts: readonly string[]): Promise<readonly ScriptedMessage[]>
  /** Waits until everything that was said to the bot is acknowledged and handled. */
  handled(): Promise<void>
  /** Waits until a stranger's words, of which nothing is kept, have been read: the pairings are asked no more. */
  settled(chat: number): Promise<void>
  /** Waits until so many replies of a chat's session are noted as delivered. */
  delivered(chat: number, count: number): Promise<void>
  /** The session that a chat is bound to. */
  session(chat: number): Promise<string | undefined>
  /** The log of the session that a conversation is bound to. */
  log(conversation: string): Promise<readonly Entry[]>
  /** Stops everything and opens the same home again. */
  restarted(changes?: TelegramSetting): Promise<TelegramHome>
  close(): Promise<void>
}

export interface TelegramSetting extends Setting {
  readonly options?: Partial<TelegramOptions>
  /** A new one unless given. */
  readonly telegram?: ScriptedTelegram
  /** The gateway runs without its channel. */
  readonly away?: boolean
}

/** Ada, whom the configuration knows. */
export const ada = 4001
/** Bob, whom nobody knows. */
export const bob = 4002
/** A group that the configuration knows, and one that nobody knows. */
export const crew = -100_500
export const strangers = -100_600

export async function telegramHome(t: TestContext, setting: TelegramSetting = {}): Promise<TelegramHome> {
  const telegram = setting.telegram ?? (await scriptedTelegram())
  const home = await openedHome(telegram, setting, (channel) => opened(t, { ...setting, channels: [channel] }))
  // After the gateway, which would wait for a Telegram that answers no more.
  t.after(() => telegram.close())
  return home
}

async function openedHome(
  telegram: ScriptedTelegram,
  setting: TelegramSetting,
  open: (channel: Channel) => Promise<Opened>,
): Promise<TelegramHome> {
  const channel = telegramChannel({
    token: telegram.token,
    apiRoot: telegram.url,
    allowedUsers: [ada],
    allowedChats: [crew],
    linkPreviews: false,
    maxFileBytes: 1_000_000,
    choices: { agent: { none: 'the default agent' }, subject: { none: 'no subject' } },
    ...fastTime,
    clock: {
      ...fastTime.clock,
      async sleep(ms, signal) {
        if (ms === telegramTimes.album) await everythingIn(telegram, signal!)
        await fastTime.clock.sleep(ms, signal)
      },
    },
    ...setting.options,
  })
  const at = await open(channel)
  const { runtime, warnings } = at
  const inbox = join(at.home, 'data', 'channels', 'telegram')
  const said = (chat: number) => telegram.messages(chat).flatMap(({ from, text }) => (from === 'bot' ? [text] : []))
  const logOf = async (conversation: string) => {
    const session = await runtime.store.bound({ channel: 'telegram', conversation })
    return session === undefined ? [] : runtime.store.entries(session)
  }
  return {
    telegram,
    inbox,
    runtime,
    channel,
    warnings,
    said,
    async reads(chat, ...texts) {
      const expected = JSON.stringify(texts)
      try {
        await telegram.until(() => JSON.stringify(said(chat)) === expected)
      } catch {
        throw new Error(`the chat ${chat} reads ${JSON.stringify(said(chat))}, not ${expected}; ${warnings.join(' ')}`)
      }
      return telegram.messages(chat).filter(({ from }) => from === 'bot')
    },
    async handled() {
      await telegram.until(() => telegram.waiting.length === 0)
      while ((await waitingUpdates(inbox)) > 0) await pause(5)
    },
    async settled(chat) {
      await telegram.until(() => telegram.waiting.length === 0)
      for (let before = -1; before < said(chat).length; await pause(60)) before = said(chat).length
    },
    async delivered(chat, count) {
      for (;;) {
        const entries = await logOf(String(chat))
        if (entries.filter(({ type }) => type === 'delivered').length >= count) return
        await pause(5)
      }
    },
    session: (chat) => runtime.store.bound({ channel: 'telegram', conversation: String(chat) }),
    log: logOf,
    restarted: async (changes = {}) => {
      const next = { ...setting, ...changes }
      return openedHome(telegram, next, (again) => at.reopened({ ...changes, channels: changes.away ? [] : [again] }))
    },
    close: () => runtime.close(),
  }
}

/** An album is whole once all that was said is taken in, however long a busy machine needs for that. */
async function everythingIn(telegram: ScriptedTelegram, signal: AbortSignal): Promise<void> {
  await telegram.until(() => signal.aborted || telegram.waiting.length === 0)
}

/** What people said in a session, in order. */
export function userTexts(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.type === 'input' ? [messageText(entry.message)] : []))
}

/** Updates that were accepted and are not handled, as the disk has them. */
async function waitingUpdates(inbox: string): Promise<number> {
  const names = (await readdir(inbox)).filter((name) => name.endsWith('.json'))
  const read = await Promise.all(names.map((name) => readFile(join(inbox, name), 'utf8').catch(() => '{}')))
  return read.filter((text) => /^\d+$/.test((JSON.parse(text) as { id?: string }).id ?? '')).length
}
