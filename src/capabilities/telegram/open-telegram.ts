import type { ChannelDesk } from '../../runtime.ts'
import { createAccess } from './access.ts'
import type { TelegramPlace } from './api/sender.ts'
import { telegramApi } from './api/telegram-api.ts'
import { telegramFiles } from './api/telegram-files.ts'
import { telegramSender } from './api/telegram-sender.ts'
import { createApprovalDesk } from './approval-desk.ts'
import { createApprovalNotes } from './approval-notes.ts'
import { openConnection } from './connection.ts'
import { createDoorkeeper } from './doorkeeper.ts'
import type { HeardFile } from './heard-files.ts'
import { createReception, type Reception } from './reception.ts'
import { recoverTurns } from './recover-turns.ts'
import { createReplies, type Replies } from './replies.ts'
import { rest as restByTimer } from './rest.ts'
import { say } from './say.ts'
import { takeFiles } from './take-files.ts'
import type { TelegramOptions } from './telegram-options.ts'

/** A channel that listens, or tries to. */
export interface OpenTelegram {
  readonly replies: Replies
  /** Takes updates in; `undefined` until the bot has said who it is. */
  reception(): Reception | undefined
  /** A sentence for the operator while something is wrong. */
  trouble(): string | undefined
  /** Once nothing is on its way, after the signal ended. */
  settled(): Promise<void>
}

export interface OpenOptions extends Omit<TelegramOptions, 'webhook'> {
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined
  /** Ends everything. */
  readonly signal: AbortSignal
}

/** Puts a channel together over a desk and begins to listen. Does not wait for Telegram. */
export async function openTelegram(desk: ChannelDesk, options: OpenOptions): Promise<OpenTelegram> {
  const { token, apiRoot, linkPreviews, webhook, maxFileBytes, signal } = options
  const { now = () => performance.now(), random = Math.random, rest = restByTimer } = options
  const { runtime, inbox, warn } = desk
  const api = await telegramApi({ token, apiRoot })
  const sender = telegramSender({ api, signal, linkPreviews, warn, now, random, sleep: rest })
  const files = telegramFiles({ api, token, apiRoot })
  const access = createAccess(options, runtime.pairings)
  const waiting = await inbox.waiting()
  const notes = createApprovalNotes(inbox, waiting)
  const approvals = createApprovalDesk({ desk, sender, access, notes })
  const common = { desk, access, rest, signal, random }
  const replies = createReplies({ ...common, sender, onEntry: approvals.take })
  const connection = openConnection({ api, rest, signal, warn, random, webhook })
  const tell = (place: TelegramPlace, text: string) => say(sender, place, text)
  let reception: Reception | undefined

  async function listen(): Promise<void> {
    await recoverTurns({ runtime, notes, replies, approvals })
    const me = await connection.connect()
    if (!me) return
    const { library } = runtime
    const begun = createReception({
      ...common,
      me,
      approvals,
      doorkeeper: createDoorkeeper({ username: me.username, pairings: runtime.pairings, now, say: tell }),
      say: tell,
      take: (heard: readonly HeardFile[]) => takeFiles(heard, { library, files, maxBytes: maxFileBytes, rest, signal }),
      follow: replies.follow,
    })
    await begun.recover(waiting)
    reception = begun
    if (!webhook) await connection.poll(begun.accept)
  }

  const listening = listen().catch((error: unknown) => {
    if (signal.aborted) return
    warn(`The channel to Telegram has stopped: ${error instanceof Error ? error.message : String(error)}`)
  })
  return {
    replies,
    reception: () => reception,
    trouble: connection.trouble,
    async settled() {
      await listening
      await reception?.settled()
      await replies.settled()
      await approvals.settled()
    },
  }
}
