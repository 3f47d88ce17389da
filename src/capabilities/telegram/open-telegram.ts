import { type ChannelContext, fileLibrary } from '../../capability.ts'
import { errorMessage, sleep as sleepByTimer } from '../../platform.ts'
import { createAccess } from './access.ts'
import type { TelegramPlace } from './api/sender.ts'
import { telegramApi } from './api/telegram-api.ts'
import { telegramFiles } from './api/telegram-files.ts'
import { telegramSender } from './api/telegram-sender.ts'
import { createApprovalMessages } from './approval-messages.ts'
import { createApprovalNotes } from './approval-notes.ts'
import { chatCommands } from './command/commands.ts'
import { openConnection } from './connection.ts'
import { createPairingGate } from './pairing-gate.ts'
import type { ParsedFile } from './parsed-files.ts'
import { createUpdateHandler, type UpdateHandler } from './update-handler.ts'
import { recoverTurns } from './recover-turns.ts'
import { createReplies, type Replies } from './replies.ts'

import { say } from './say.ts'
import { takeFiles } from './take-files.ts'
import type { TelegramOptions } from './telegram-options.ts'

/** A channel that listens, or tries to. */
export interface OpenTelegram {
  readonly replies: Replies
  /** Takes updates in; `undefined` until the bot has said who it is. */
  updates(): UpdateHandler | undefined
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

/** Puts a channel together over a context and begins to listen. Does not wait for Telegram. */
export async function openTelegram(context: ChannelContext, options: OpenOptions): Promise<OpenTelegram> {
  const { token, apiRoot, linkPreviews, webhook, maxFileBytes, signal } = options
  const { now = () => performance.now(), random = Math.random, sleep = sleepByTimer } = options
  const { inbox, runtime, warn } = context
  const commands = chatCommands(options.choices ?? {})
  const api = await telegramApi({ token, apiRoot })
  const sender = telegramSender({ api, signal, linkPreviews, warn, now, random, sleep })
  const files = telegramFiles({ api, token, apiRoot })
  const access = createAccess(options, runtime.pairings)
  const waiting = await inbox.waiting()
  const notes = createApprovalNotes(inbox, waiting)
  const approvals = createApprovalMessages({ context, sender, access, notes })
  const common = { context, access, sleep, signal, random }
  const replies = createReplies({ ...common, sender, onEntry: approvals.take })
  const connection = openConnection({ api, commands, sleep, signal, warn, random, webhook })
  const tell = (place: TelegramPlace, text: string) => say(sender, place, text)
  let updates: UpdateHandler | undefined

  async function listen(): Promise<void> {
    await recoverTurns({ runtime, notes, replies, approvals })
    const me = await connection.connect()
    if (!me) return
    const begun = createUpdateHandler({
      ...common,
      commands,
      me,
      approvals,
      pairingGate: createPairingGate({ username: me.username, pairings: runtime.pairings, now, say: tell }),
      say: tell,
      take: (parsed: readonly ParsedFile[]) =>
        takeFiles(parsed, { library: runtime.capability(fileLibrary), files, maxBytes: maxFileBytes, sleep, signal }),
      follow: replies.follow,
    })
    await begun.recover(waiting)
    updates = begun
    if (!webhook) await connection.poll(begun.accept)
  }

  const listening = listen().catch((error: unknown) => {
    if (signal.aborted) return
    warn(`The channel to Telegram has stopped: ${errorMessage(error)}`)
  })
  return {
    replies,
    updates: () => updates,
    trouble: connection.trouble,
    async settled() {
      await listening
      await updates?.settled()
      await replies.settled()
      await approvals.settled()
    },
  }
}
