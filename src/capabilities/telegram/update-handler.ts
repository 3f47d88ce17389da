import type { Update } from 'grammy/types'
import { type ChannelContext, fileLibrary, type Runtime, RuntimeError, type SubmittedTurn } from '../../capability.ts'
import { messageText } from '../../context.ts'
import { errorMessage, keyedQueue, defined } from '../../platform.ts'
import type { ChatAccess, PairingGate } from './access.ts'
import { createAlbums } from './albums.ts'
import { TelegramRefusal } from './api/telegram-api.ts'
import { type ApprovalMessages, isApprovalNote } from './approval-messages.ts'
import {
  chatBinding,
  conversationName,
  type ChatReference,
  inputKey,
  isPersonal,
  turnAuthor,
} from './chat-reference.ts'
import { type ChatCommand, endTurns, mayRecover, parseCommand, type ParsedCommand, runChatCommand } from './commands.ts'
import {
  type MessageGroup,
  type ParsedEdit,
  type ParsedMessage,
  type ParsedUpdate,
  parseUpdate,
  type ParsedFile,
  type BotName,
} from './parsed-update.ts'
import { backoffMs, type Sleep } from './timing.ts'
import { beginSession } from '../../runtime.ts'
import type { ReceivedFiles } from './api/received-files.ts'
import type { FollowedTurn } from './follow-turn.ts'

/** Accepts updates, and handles each once, in the order of its chat. */
export type UpdateHandler = ReturnType<typeof createUpdateHandler>

interface UpdateHandlerParts extends Omit<HandleMessageParts, 'runtime' | 'bot' | 'endedAhead'> {
  readonly context: ChannelContext
  readonly me: BotName
  readonly access: ChatAccess
  readonly pairingGate: PairingGate
  readonly approvals: ApprovalMessages
  readonly sleep: Sleep
  readonly signal: AbortSignal
  random(): number
}

export function createUpdateHandler(parts: UpdateHandlerParts) {
  const { context, me, signal, access, pairingGate, approvals } = parts
  const { inbox, runtime } = context
  const queue = keyedQueue<string>()
  const albums = createAlbums(parts.sleep, signal)
  /** Ids of what is handled here, so that it is not handled once more when it is seen in the inbox. */
  const begun = new Set<string>()
  function begin(id: string): void {
    begun.add(id)
    if (begun.size > MOST_BEGUN) begun.delete(begun.values().next().value!)
  }

  /** On disk when it resolves. Returns whether it is to be handled now. */
  async function keep(update: Update): Promise<boolean> {
    const id = String(update.update_id)
    const isBegun = begun.has(id)
    begin(id)
    let isNew = false
    try {
      isNew = await inbox.accept(id, update)
    } finally {
      // Where it waits and is not handled here, another gateway has put it there.
      if (!isNew && !isBegun) begun.delete(id)
    }
    return isNew && !isBegun
  }

  function handle(parsed: ParsedUpdate, { update, isKept, handsOver }: Handled): Promise<void> | undefined {
    const add = (name: string, work: () => Promise<void>) =>
      queue
        .add(name, work)
        .catch((error: unknown) => context.warn(`A message from Telegram was not handled: ${errorMessage(error)}`))
    const attempt = (handled: readonly ParsedUpdate[], work: () => Promise<void>) => retry(isKept ? handled : [], work)
    const key = conversationName(parsed.chat)
    if (handsOver) return add(key, () => attempt([parsed], handsOver))
    if (parsed.type === 'message') {
      const group = albums.group(parsed)
      if (!group) return undefined
      const endedAhead = stopAhead(parsed)
      return add(key, async () => {
        const messages = await group
        if (!messages) return
        // The message before it may have paired the chat.
        const late = isKept ? undefined : await handOverOf(parsed, update)
        await attempt(messages, late ?? (() => handleMessage(messages, { ...parts, runtime, bot: me.id, endedAhead })))
      })
    }
    if (parsed.type === 'edit')
      return add(key, () => attempt([parsed], () => handleEdit(parsed, { ...parts, runtime })))
    // A pressed button does not wait behind the download of a large file.
    if (parsed.type === 'press') return add(`press ${key}`, () => attempt([parsed], () => approvals.press(parsed)))
    return add(key, () => attempt([parsed], () => handleEvent(parsed)))
  }

  /** /stop does not wait behind the download of a large file: it cancels running turns at once, and the others in its order. */
  async function stopAhead(parsed: ParsedMessage): Promise<readonly string[]> {
    if (!parsed.addressed || messageCommand([parsed], parsed)?.name !== 'stop') return []
    try {
      return (await access.chat(parsed.chat.id)) ? await endTurns(runtime, chatBinding(parsed.chat)) : []
    } catch {
      // The command runs again in its order, and reports the error then.
      return []
    }
  }

  async function handleEvent(parsed: Exclude<ParsedUpdate, { type: 'message' | 'edit' | 'press' }>): Promise<void> {
    const { chat } = parsed
    if (parsed.type === 'arrival') {
      if (!(await access.chat(chat.id))) await pairingGate.explain(chat)
      return
    }
    if (!(await access.chat(chat.id))) return
    const [before, now] = [chatBinding(chat), chatBinding({ id: parsed.to })]
    const session = await runtime.store.bound(before)
    if (session !== undefined) await runtime.store.bind(now, session)
    await runtime.pairings.move('telegram', String(chat.id), String(parsed.to))
    if (await access.chat(parsed.to)) return
    context.warn(
      `The Telegram group ${chat.id} became a supergroup with the id ${parsed.to} and keeps its session. Add the new id to ` +
        'channels.telegram.allowedChats, or pair the group.',
    )
  }

  /** Runs `work` until it succeeds. `kept` stays in the inbox when the channel stops before that. */
  async function retry(kept: readonly ParsedUpdate[], work: () => Promise<void>): Promise<void> {
    // The operator need not know of strangers, who may block the bot for instance.
    const warn = kept.length > 0 ? context.warn : () => {}
    for (let n = 1; !signal.aborted; n += 1) {
      const fault = await failure(work)
      if (fault === undefined || fault instanceof TelegramRefusal) {
        if (fault) warn(`The bot could not send an answer: ${fault.message}`)
        // Newest first: the first message identifies an album of which only a part is left.
        for (const { update } of kept.toReversed()) await inbox.done(String(update))
        return
      }
      if (signal.aborted) return
      if (!mayRecover(fault) && n === MOST_TRIES) {
        return warn(`The gateway handles a message from Telegram at its next start: ${fault.message}`)
      }
      if (n === 1) warn(`The gateway could not handle a message from Telegram and tries again: ${fault.message}`)
      await parts.sleep(backoffMs(n, parts.random), signal)
    }
  }

  /** A malformed update must not block the updates behind it. */
  function read(update: Update): ParsedUpdate | undefined {
    try {
      return parseUpdate(update, me)
    } catch (error) {
      context.warn(`Skipped an update from Telegram that cannot be read: ${errorMessage(error)}`)
      return undefined
    }
  }

  /** What gives an update to the person whose home its chat talks to; `undefined`: it is handled here. */
  async function handOverOf({ chat }: ParsedUpdate, update: Update): Promise<HandsOver | undefined> {
    const home = await access.homeOf(chat.id)
    if (home === undefined) return undefined
    return async () => {
      // The pairing may have ended while the update waited.
      if ((await access.homeOf(chat.id)) === home)
        await context.handOver?.(home, { id: String(update.update_id), value: update })
    }
  }

  return {
    /** On disk when it resolves. Drops repeated updates, and those that do not concern the bot. */
    async accept(update: Update): Promise<void> {
      const parsed = read(update)
      if (!parsed) return
      // Messages of strangers are not stored. A chat that is paired by an earlier message has access when this one is handled.
      const isKept = (await access.homeOf(parsed.chat.id)) !== undefined || (await access.chat(parsed.chat.id))
      if (isKept && !(await keep(update))) return
      const handled = handle(parsed, { update, isKept, handsOver: await handOverOf(parsed, update) })
      // What comes from the new id of a group belongs to the session that the group had.
      if (parsed.type === 'move') await handled
    },

    /** Handles what is in the inbox and not begun: what a former process stored, and what another gateway has put there. */
    async recover(waiting: readonly { readonly id: string; readonly value: unknown }[]): Promise<void> {
      for (const { id, value } of waiting) {
        if (isApprovalNote(id) || begun.has(id)) continue
        begin(id)
        const update = value as Update
        const parsed = read(update)
        if (parsed) void handle(parsed, { update, isKept: true, handsOver: await handOverOf(parsed, update) })
        else await inbox.done(id)
      }
    },
    idle: queue.idle,
  }
}

/** More than an inbox remembers. */
const MOST_BEGUN = 2_000

type HandsOver = () => Promise<void>

interface Handled {
  readonly update: Update
  /** It is in the inbox. */
  readonly isKept: boolean
  /** Gives it to the person whose home its chat talks to. */
  readonly handsOver: HandsOver | undefined
}

async function failure(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Tries at a failure that may be permanent. A passing one is retried without end, so that the chat keeps its order. */
const MOST_TRIES = 5

interface HandleMessageParts {
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

/** Runs a command or submits input; repeated messages are the same turn. Rejects where a retry may succeed. */
async function handleMessage(messages: MessageGroup, parts: HandleMessageParts): Promise<void> {
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
  if (words === '' && files.length === 0) return say(chat, `I cannot read ${first.unread ?? 'this message'}.`)
  const input: MessageInput = { messages, first, words: begins ?? words, files }
  const session =
    begins === undefined
      ? await runtime.sessionFor(binding)
      : await beginSession(runtime, binding, messageKey(input, parts))
  const submitted = await submit(session, input, parts)
  if (submitted) parts.follow({ session: submitted.session, turn: submitted.turn, chat })
}

const TOO_LATE = 'Your edit came too late: the message was read as it was. Send what you mean as a new message.'

const FILE_UNKNOWN =
  'The new file was not read, since it cannot be told which file of your album it replaces. Send it as a new message.'

/** Turns of a session among which an edited message is looked for. */
const MOST_TURNS = 100

/** A message that waits is read as it was edited. Where it was read already, its author reads that the edit came too late. */
async function handleEdit(
  edit: ParsedEdit,
  parts: Pick<HandleMessageParts, 'runtime' | 'access' | 'say' | 'receive'>,
): Promise<void> {
  const { runtime, access, say } = parts
  const { chat, messageId } = edit
  if (!(await access.chat(chat.id))) return
  const { store } = runtime
  const session = await store.bound(chatBinding(chat))
  if (session === undefined) return
  for (const { turn } of await store.turns(session, { limit: MOST_TURNS })) {
    if ((await turnAuthor(store, session, turn))?.message !== messageId) continue
    const written = (await store.entries(session, { turn, types: ['input', 'edit'] })).at(-1)
    if (written?.type !== 'input' && written?.type !== 'edit') continue
    const message: ParsedMessage = { ...edit, type: 'message' }
    const command = messageCommand([message], message)
    if (command && command.name !== 'new') return say(chat, TOO_LATE)
    const ids = (written.attachments ?? []).map(({ file }) => file)
    const text = inputText({ first: message, words: command?.argument ?? edit.text }, ids.length || edit.files.length)
    const write = (attachments: readonly string[]) =>
      runtime.editWaiting(session, turn, { text, ...(attachments.length > 0 && { attachments }) })
    try {
      // New words need not wait for the download.
      if (text !== messageText(written.message)) await write(ids)
      const hasBegun = (await store.entries(session, { turn, types: ['turn-start', 'turn-end'], limit: 1 })).length > 0
      const files = await replacedFiles(edit, ids, hasBegun, parts)
      if (typeof files === 'string') await say(chat, files)
      else if (files) await write(files)
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error
      if (error.code !== 'changed' && error.code !== 'invalid-input') throw error
      await say(chat, error.code === 'changed' ? TOO_LATE : error.message)
    }
    return
  }
  // Of a message that no turn has, such as a command, nobody in a group need hear.
  if (isPersonal(chat.id)) await say(chat, TOO_LATE)
}

/** The files of a message after an edit; `undefined` where they are the same, and a sentence where the new one cannot be read. */
async function replacedFiles(
  { files: [file], album }: ParsedEdit,
  ids: readonly string[],
  hasBegun: boolean,
  { runtime, receive }: Pick<HandleMessageParts, 'runtime' | 'receive'>,
): Promise<readonly string[] | string | undefined> {
  const library = runtime.capability(fileLibrary)
  if (!file || !library) return undefined
  const rows = await Promise.all(ids.map((id) => library.file(id)))
  const at = album === undefined ? 0 : rows.findIndex(({ name }) => name === file.name)
  const before = rows[at]
  if (before === undefined && album !== undefined) return hasBegun ? TOO_LATE : FILE_UNKNOWN
  if (hasBegun) return before?.name === file.name && before.bytes === (file.size ?? before.bytes) ? undefined : TOO_LATE
  const { ids: received, faults } = await receive([file])
  if (received[0] === undefined) return `The agent did not receive:\n${faults.join('\n')}`
  const { hash, name } = await library.file(received[0])
  if (hash !== before?.hash || name !== before.name) return ids.length === 0 ? received : ids.with(at, received[0])
  await library.remove(received[0])
  return undefined
}

/** The command of a message. Forwarded words and captions of files are no commands. */
function messageCommand(messages: readonly ParsedMessage[], first: ParsedMessage): ParsedCommand | undefined {
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
  return inputKey({ bot, update: messages[0].update, message: first.messageId, ...defined({ person }) })
}

/** In a group, each message begins with its sender, and further lines are indented, so that none can imitate another sender. */
function inputText(
  { first: { chat, speaker, forwardedFrom, answers, unread }, words }: Pick<MessageInput, 'first' | 'words'>,
  files: number,
): string {
  const own = words === '' ? (files === 1 ? '(a file, without words)' : `(${files} files, without words)`) : words
  const about = [
    ...(answers ? [`(in answer to ${answers.by}: "${answers.text}")`] : []),
    ...(forwardedFrom === undefined ? [] : [`(forwarded from ${forwardedFrom})`]),
  ]
  const text = [...about, own, ...(unread === undefined ? [] : [`(with ${unread}, not read)`])].join('\n')
  if (isPersonal(chat.id)) return text
  const name = speaker.handle === undefined ? speaker.name : `${speaker.name} (${speaker.handle})`
  return `${name}: ${text.replaceAll(/\r\n?|[\n\u2028\u2029]/g, '\n  ')}`
}
