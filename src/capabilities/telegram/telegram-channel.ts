import { randomBytes, createHash, timingSafeEqual } from 'node:crypto'
import { type Channel, type ChannelContext, fileLibrary, type Runtime } from '../../capability.ts'
import { type Clock, defined, errorMessage, ForewordError, fieldsOf, once, parseJson } from '../../platform.ts'
import { sessionConversation } from '../../runtime.ts'
import { createChatAccess, createPairingGate } from './access.ts'
import { receiveFiles, telegramFiles } from './api/received-files.ts'
import { telegramApi } from './api/telegram-api.ts'
import { telegramSender } from './api/telegram-sender.ts'
import {
  type ApprovalMessages,
  type ApprovalNotes,
  createApprovalMessages,
  createApprovalNotes,
} from './approval-messages.ts'
import { type ChatReference, parseConversation } from './chat-reference.ts'
import { chatCommands, type ChatChoices, contributedCommands } from './commands.ts'
import { connectBot } from './connection.ts'
import type { FollowedTurn } from './follow-turn.ts'
import type { ParsedFile } from './parsed-update.ts'
import { createReplies, type Replies } from './replies.ts'
import { plainText, messageParts } from './text/formatted-text.ts'
import { createUpdateHandler, type UpdateHandler } from './update-handler.ts'
import type { Update } from 'grammy/types'

export interface TelegramOptions {
  /** The bot's token. No text that leaves the channel contains it. */
  readonly token: string
  readonly apiRoot: string
  readonly allowedUsers: readonly number[]
  readonly allowedChats: readonly number[]
  readonly linkPreviews: boolean
  /** With it, Telegram calls the gateway; without it, the gateway polls Telegram. Without `secret`, the channel generates one. */
  readonly webhook?: { readonly url: string; readonly secret?: string } | undefined
  readonly choices?: ChatChoices
  readonly maxFileBytes: number
  /** The home is that of a person: updates are handed over, and Telegram is not asked for any. `false` unless given. */
  readonly ofPerson?: boolean
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random?: () => number
}

/** The path that Telegram calls if the address of the webhook has none. */
const WEBHOOK_PATH = '/channels/telegram'

/** People reach the agent through a Telegram bot: in their own chats, and in groups where they mention it. */
export function telegramChannel(options: TelegramOptions): Channel {
  const ending = new AbortController()
  const { signal } = ending
  const opening = Promise.withResolvers<OpenTelegram>()
  opening.promise.catch(() => {})
  let open: OpenTelegram | undefined
  let starting: Promise<OpenTelegram> | undefined
  const webhook = options.webhook && {
    url: webhookAddress(options.webhook.url),
    secret: options.webhook.secret ?? randomBytes(32).toString('base64url'),
  }

  /** Answers a call of Telegram after checking its secret. Never rejects. */
  const answer = (request: Request) =>
    answerWebhook(request, {
      secret: webhook?.secret,
      async accept(update) {
        const updates = open?.updates()
        if (!updates || signal.aborted) throw new ForewordError('closing', 'The Telegram channel is not listening.')
        await updates.accept(update)
      },
    })

  return {
    name: 'telegram',
    ...(webhook && { hook: { path: new URL(webhook.url).pathname, handle: answer } }),
    async start(context) {
      const begun = openTelegram(context, { ...options, webhook, signal })
      starting = begun
      open = await begun
      opening.resolve(open)
    },
    async stop() {
      ending.abort(new ForewordError('closing', 'The gateway is stopping.'))
      opening.reject(signal.reason)
      // One that is just starting has begun to write.
      const begun = await starting?.catch(() => undefined)
      await begun?.settled()
    },
    ...(options.ofPerson && {
      async accept(value: unknown) {
        await (await (await opening.promise).begin()).accept(value as Update)
      },
    }),
    // A reply can be ready before the channel is open.
    deliver: async (reply) => (await opening.promise).replies.deliver(reply),
    idle: () => open?.idle(),
    warnings() {
      const trouble = open?.trouble()
      return trouble === undefined ? [] : [trouble]
    },
  }
}

function webhookAddress(url: string): string {
  const address = new URL(url)
  if (address.pathname === '/') address.pathname = WEBHOOK_PATH
  return address.href
}

type OpenTelegram = Awaited<ReturnType<typeof openTelegram>>

interface OpenTelegramOptions extends Omit<TelegramOptions, 'webhook'> {
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined
  readonly signal: AbortSignal
}

/** Builds the channel and begins to listen. Does not wait for Telegram. */
async function openTelegram(context: ChannelContext, options: OpenTelegramOptions) {
  const { token, apiRoot, linkPreviews, webhook, maxFileBytes, signal } = options
  const { clock, random = Math.random } = options
  const { monotonic: now, sleep } = clock
  const { inbox, runtime, warn } = context
  const commands = chatCommands(options.choices ?? {}, contributedCommands(runtime, warn))
  const api = await telegramApi({ token, apiRoot })
  const sender = telegramSender({ api, signal, linkPreviews, warn, clock, random, hasHome: context.hasHome })
  const files = telegramFiles({ api, token, apiRoot, clock })
  const access = createChatAccess(options, runtime.pairings)
  const waiting = await inbox.waiting()
  const notes = createApprovalNotes(inbox, waiting)
  const approvals = createApprovalMessages({ context, sender, access, notes })
  const common = { context, access, sleep, signal, random }
  const replies = createReplies({ ...common, sender, onEntry: approvals.onEntry })
  const listens = options.ofPerson !== true
  const connection = connectBot({ api, commands, sleep, signal, warn, random, webhook, listens })
  let updates: UpdateHandler | undefined

  async function say(chat: ChatReference, text: string): Promise<void> {
    for (const part of messageParts(plainText(text))) await sender.send(chat, part)
  }

  /** Rejects where the channel ends before the bot is known. */
  const begin = once(async (): Promise<UpdateHandler> => {
    const me = await connection.connect()
    if (!me) throw signal.reason
    const begun = createUpdateHandler({
      ...common,
      commands,
      me,
      approvals,
      pairingGate: createPairingGate({ username: me.username, pairings: runtime.pairings, now, say }),
      say,
      receive: (parsed: readonly ParsedFile[]) =>
        receiveFiles(parsed, {
          library: runtime.capability(fileLibrary),
          files,
          maxBytes: maxFileBytes,
          sleep,
          signal,
        }),
      follow: replies.follow,
    })
    await begun.recover(waiting)
    updates = begun
    return begun
  })

  /** What came in at another gateway is in the inbox. */
  function watch(): void {
    const stop = inbox.watch?.(async () => {
      const there = await inbox.waiting()
      if (there.length > 0) await (await begin()).recover(there)
    })
    signal.addEventListener('abort', () => stop?.(), { once: true })
  }

  async function listen(): Promise<void> {
    await recoverTurns({ runtime, notes, replies, approvals })
    if (!listens) watch()
    // A bot that nobody of this home talks to is not asked who it is.
    if (!listens && waiting.length === 0) return
    const begun = await begin()
    if (listens && !webhook) await connection.poll(begun.accept)
  }

  const listening = listen().catch((error: unknown) => {
    if (signal.aborted) return
    warn(`The Telegram channel has stopped: ${errorMessage(error)}`)
  })
  return {
    replies,
    begin,

    /** `undefined` until the bot has connected. */
    updates: () => updates,
    trouble: connection.trouble,
    idle: () => updates?.idle() ?? approvals.idle() ?? replies.idle(),

    /** Resolves once all work has ended, after the signal was aborted. */
    async settled(): Promise<void> {
      await listening
      await updates?.idle()
      await replies.settled()
      await approvals.idle()
    },
  }
}

/** Running turns are followed again, and messages about decided approvals are closed. */
async function recoverTurns(parts: {
  readonly runtime: Runtime
  readonly notes: ApprovalNotes
  readonly replies: Replies
  readonly approvals: ApprovalMessages
}): Promise<void> {
  const { runtime, notes, replies, approvals } = parts
  const { store } = runtime
  const running = new Map<string, FollowedTurn>()
  for (const { session, turn } of await store.unfinishedTurns()) {
    const binding = (await sessionConversation(store, session))?.binding
    const chat = binding?.channel === 'telegram' ? parseConversation(binding.conversation) : undefined
    if (chat) running.set(turn, { session, turn, chat })
  }
  for (const { session, turn, chat, thread } of notes.all()) {
    const followed = { session, turn, chat: { id: chat, ...defined({ thread }) } }
    const row = await store.turn(session, turn)
    if (row?.state === 'queued' || row?.state === 'running') {
      running.set(turn, followed)
      continue
    }
    const decisions = await store.entries(session, { turn, types: ['approval', 'turn-end'] })
    for (const entry of decisions) approvals.onEntry(followed, entry)
  }
  for (const followed of running.values()) replies.follow(followed)
}

interface WebhookParts {
  readonly secret: string | undefined
  /** On disk when it resolves. Rejects where that fails at the moment. */
  accept(update: Update): Promise<void>
}

const LONGEST_BODY = 1024 * 1024

/** Answers a call of Telegram: 200 only once the update is stored, so that Telegram repeats any other. */
async function answerWebhook(request: Request, { secret, accept }: WebhookParts): Promise<Response> {
  if (request.method !== 'POST') return refusal(405, 'method-not-allowed', 'Invalid method: Telegram calls with POST.')
  if (!isSame(request.headers.get('x-telegram-bot-api-secret-token'), secret)) {
    return refusal(403, 'forbidden', 'X-Telegram-Bot-Api-Secret-Token is missing or wrong.')
  }
  const body = await bodyText(request)
  if (body === undefined) return refusal(413, 'too-large', `The body is larger than ${LONGEST_BODY} bytes.`)
  const update = parseBody(body)
  if (!update) return refusal(400, 'invalid-input', 'Invalid body: it must be an update of the Bot API.')
  try {
    await accept(update)
  } catch {
    return refusal(503, 'unavailable', 'The update cannot be stored at the moment. Send it again.')
  }
  return new Response(null, { status: 200 })
}

function isSame(given: string | null, secret: string | undefined): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(secret ?? '')) && given !== null && secret !== undefined
}

/** `undefined` where it is too large. */
async function bodyText(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let received = 0
  for await (const chunk of request.body ?? []) {
    received += chunk.byteLength
    if (received > LONGEST_BODY) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseBody(body: string): Update | undefined {
  const read = parseJson(body)
  return Number.isSafeInteger(fieldsOf(read)['update_id']) ? (read as Update) : undefined
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status })
}
