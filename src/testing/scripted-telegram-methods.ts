import type { InlineKeyboardMarkup, Message } from 'grammy/types'
import { badRequest, parseText } from './scripted-telegram-text.ts'
import type { TelegramUpdates } from './scripted-telegram-updates.ts'
import { apiMessage, type TelegramWorld, type WorldChat, type WorldMessage } from './scripted-telegram-world.ts'

type Parameters = Readonly<Record<string, unknown>>
type Method = (parameters: Parameters, gone: AbortSignal) => unknown

/** The largest file that the public Bot API gives, bytes. */
const LARGEST_FILE = 20 * 1024 * 1024
const ACTIONS = /^(?:typing|choose_sticker|find_location|(?:upload|record)_(?:photo|video|voice|document|video_note))$/

/** Methods of the Bot API, by name in lower case: it minds no case. */
export function botMethods(world: TelegramWorld, updates: TelegramUpdates): ReadonlyMap<string, Method> {
  let commands: unknown = []
  const methods: Readonly<Record<string, Method>> = {
    getMe: () => world.me,
    getUpdates: updates.getUpdates,
    setWebhook: updates.setWebhook,
    deleteWebhook: updates.deleteWebhook,
    getWebhookInfo: updates.getWebhookInfo,
    setMyCommands({ commands: wanted }) {
      if (!Array.isArray(wanted)) throw badRequest('commands must be an Array')
      for (const { command, description } of wanted as readonly { command?: unknown; description?: unknown }[]) {
        if (!/^\/?[a-z0-9_]{1,32}$/.test(String(command))) throw badRequest('BOT_COMMAND_INVALID')
        if (!/^.{1,256}$/su.test(typeof description === 'string' ? description : ''))
          throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID')
      }
      commands = wanted
      return true
    },
    getMyCommands: () => commands,
    deleteMyCommands() {
      commands = []
      return true
    },
    getChat: ({ chat_id: id }) => ({ ...findChat(world, id).chat, accent_color_id: 0, max_reaction_count: 11 }),

    sendMessage(parameters) {
      const place = findChat(world, parameters['chat_id'])
      const written = parseText(parameters['text'], parameters['entities'])
      const message: WorldMessage = {
        id: 0,
        from: world.me,
        date: Math.floor(Date.now() / 1000),
        ...written,
        keyboard: parseKeyboard(parameters['reply_markup']),
        edits: 0,
        ...threadField(place, parameters),
        ...replyField(place, parameters),
        ...(parameters['disable_notification'] ? { silent: true } : {}),
        preview: hasPreview(parameters),
        extra: {},
      }
      return putMessage(place, { ...message, id: place.nextId() })
    },

    editMessageText(parameters) {
      const { place, message } = ownMessage(world, parameters)
      const written = parseText(parameters['text'], parameters['entities'])
      const keyboard = parseKeyboard(parameters['reply_markup'])
      return editMessage(place, message, { ...written, keyboard, preview: hasPreview(parameters) })
    },

    editMessageReplyMarkup(parameters) {
      const { place, message } = ownMessage(world, parameters)
      return editMessage(place, message, { keyboard: parseKeyboard(parameters['reply_markup']) })
    },

    deleteMessage({ chat_id: id, message_id: messageId }) {
      const place = findChat(world, id)
      const message = place.messages.get(Number(messageId))
      if (!message) throw badRequest('message to delete not found')
      if (message.from.id !== world.me.id && place.chat.type !== 'private') throw badRequest("message can't be deleted")
      place.messages.delete(message.id)
      return true
    },

    sendChatAction(parameters) {
      const place = findChat(world, parameters['chat_id'])
      threadField(place, parameters)
      if (!ACTIONS.test(String(parameters['action']))) throw badRequest('wrong parameter action in request')
      return true
    },

    answerCallbackQuery({ callback_query_id: id, text }) {
      if (typeof text === 'string' && text.length > 200) throw badRequest('MESSAGE_TOO_LONG')
      if (!world.pressed.delete(String(id))) {
        throw badRequest('query is too old and response timeout expired or query ID is invalid')
      }
      return true
    },

    getFile({ file_id: id }) {
      const file = world.file(String(id))
      if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable')
      if (file.bytes.byteLength > LARGEST_FILE) throw badRequest('file is too big')
      const { bytes, path } = file
      const unique = `unique-${String(id)}`
      return { file_id: id, file_unique_id: unique, file_size: bytes.byteLength, file_path: path }
    },
  }
  return new Map(Object.entries(methods).map(([name, method]) => [name.toLowerCase(), method]))
}

function findChat(world: TelegramWorld, id: unknown): WorldChat {
  if (id === undefined || id === '') throw badRequest('chat_id is empty')
  const place = world.chat(Number(id))
  if (!place) throw badRequest('chat not found')
  return place
}

function ownMessage(world: TelegramWorld, parameters: Parameters) {
  const place = findChat(world, parameters['chat_id'])
  const message = place.messages.get(Number(parameters['message_id']))
  if (!message) throw badRequest('message to edit not found')
  if (message.from.id !== world.me.id) throw badRequest("message can't be edited")
  return { place, message }
}

function editMessage(place: WorldChat, before: WorldMessage, change: Partial<WorldMessage>): Message {
  const after = { ...before, ...change }
  const shown = ({ text, entities, keyboard }: WorldMessage) => JSON.stringify([text, entities, keyboard])
  if (shown(before) === shown(after)) {
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    )
  }
  return putMessage(place, { ...after, edits: before.edits + 1 })
}

function putMessage(place: WorldChat, message: WorldMessage): Message {
  place.messages.set(message.id, message)
  return apiMessage(place, message)
}

function threadField(place: WorldChat, { message_thread_id: thread }: Parameters): { thread?: number } {
  if (thread === undefined) return {}
  if (!place.threads.has(Number(thread))) throw badRequest('message thread not found')
  return { thread: Number(thread) }
}

function replyField(place: WorldChat, { reply_parameters: reply }: Parameters): { replyTo?: number } {
  if (typeof reply !== 'object' || reply === null) return {}
  const { message_id: id, allow_sending_without_reply: anyway } = reply as Parameters
  if (place.messages.has(Number(id))) return { replyTo: Number(id) }
  if (anyway === true) return {}
  throw badRequest('message to be replied not found')
}

function hasPreview({ link_preview_options: options }: Parameters): boolean {
  return (options as { is_disabled?: boolean } | undefined)?.is_disabled !== true
}

function parseKeyboard(markup: unknown): InlineKeyboardMarkup | undefined {
  if (markup === undefined) return undefined
  const rows = (markup as { inline_keyboard?: unknown }).inline_keyboard
  if (!Array.isArray(rows)) throw badRequest("can't parse reply keyboard markup JSON object")
  for (const row of rows) {
    if (!Array.isArray(row)) throw badRequest("can't parse inline keyboard button: row is no array")
    for (const { text, callback_data: data, url } of row as readonly Parameters[]) {
      if (typeof text !== 'string' || text === '') throw badRequest('inline keyboard button text is empty')
      if (data === undefined && url === undefined) throw badRequest('text buttons are unallowed in the inline keyboard')
      const length = Buffer.byteLength(typeof data === 'string' ? data : 'x')
      if (length < 1 || length > 64) throw badRequest('BUTTON_DATA_INVALID')
    }
  }
  return rows.flat().length === 0 ? undefined : (markup as InlineKeyboardMarkup)
}
