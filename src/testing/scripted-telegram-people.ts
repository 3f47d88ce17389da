import { defined } from '../platform.ts'
import { randomUUID } from 'node:crypto'
import type { Message, Update, User } from 'grammy/types'
import type { ScriptedSaying, ScriptedFile } from './scripted-telegram-contract.ts'
import { foundEntities } from './scripted-telegram-text.ts'
import { messageOf, personOf, type TelegramWorld, type WorldChat } from './scripted-telegram-world.ts'

type News = Omit<Update, 'update_id'>

/** What people do, as the updates that it gives. */
export interface TelegramPeople {
  say(chat: number, text: string, options?: ScriptedSaying): readonly News[]
  press(chat: number, messageId: number, data: string, from?: number | User): News
  change(chat: number, messageId: number, text: string): News
}

/** Whoever speaks in a group without a name. */
const SOMEBODY = 100

export function telegramPeople(world: TelegramWorld): TelegramPeople {
  function write(place: WorldChat, text: string, options: ScriptedSaying, extra: Partial<Message>): News {
    const { from = place.chat.type === 'private' ? place.chat.id : SOMEBODY, entities, thread, replyTo } = options
    const id = place.nextId()
    if (thread !== undefined) place.threads.add(thread)
    const message = {
      id,
      from: userOf(from),
      date: Math.floor(Date.now() / 1000),
      text,
      entities: entities ?? foundEntities(text),
      keyboard: undefined,
      edits: 0,
      ...defined({ thread, replyTo }),
      preview: true,
      extra: { ...extra, ...options.extra },
    }
    place.messages.set(id, message)
    return { message: messageOf(place, message) } as News
  }

  function picture(bytes: Uint8Array): Partial<Message> {
    const size = (side: number) => {
      const id = world.keep({ name: 'photo.jpg', bytes, mime: 'image/jpeg' })
      return { file_id: id, file_unique_id: `unique-${id}`, width: side, height: side, file_size: bytes.byteLength }
    }
    return { photo: [size(90), size(1280)] }
  }

  function paper({ name, bytes, mime }: ScriptedFile): Partial<Message> {
    const id = world.keep({ name, bytes, ...defined({ mime }) })
    const type = mime === undefined ? {} : { mime_type: mime }
    return {
      document: { file_id: id, file_unique_id: `unique-${id}`, file_name: name, file_size: bytes.byteLength, ...type },
    }
  }

  return {
    say(chat, text, options = {}) {
      const place = world.open(chat, options.type, options.title)
      const { photo, document, mediaGroup } = options
      if (!mediaGroup) {
        const extra = { ...(photo ? picture(photo) : {}), ...(document ? paper(document) : {}) }
        return [write(place, text, options, extra)]
      }
      const album = { media_group_id: randomUUID() }
      return mediaGroup.map((file, index) => {
        const extra = file instanceof Uint8Array ? picture(file) : paper(file)
        return write(place, index === 0 ? text : '', options, { ...extra, ...album })
      })
    },

    press(chat, messageId, data, from = chat) {
      const place = world.chat(chat)
      const message = place?.messages.get(messageId)
      if (!place || !message) throw new Error(`There is no message ${messageId} in chat ${chat}.`)
      const buttons = message.keyboard?.inline_keyboard.flat() ?? []
      if (!buttons.some((button) => 'callback_data' in button && button.callback_data === data)) {
        throw new Error(`Message ${messageId} has no button with ${data}: ${JSON.stringify(buttons)}.`)
      }
      const id = randomUUID()
      world.pressed.add(id)
      const person = userOf(from)
      const query = { id, from: person, message: messageOf(place, message), chat_instance: String(chat), data }
      return { callback_query: query }
    },

    change(chat, messageId, text) {
      const place = world.chat(chat)
      const before = place?.messages.get(messageId)
      if (!place || !before) throw new Error(`There is no message ${messageId} in chat ${chat}.`)
      const message = { ...before, text, entities: foundEntities(text), edits: before.edits + 1 }
      place.messages.set(messageId, message)
      return { edited_message: messageOf(place, message) } as News
    },
  }
}

function userOf(from: number | User): User {
  return typeof from === 'number' ? personOf(from) : from
}
