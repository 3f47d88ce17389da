import type { TelegramPlace, TelegramSender } from './api/sender.ts'
import { plainText } from './text/formatted-text.ts'
import { messageParts } from './text/message-parts.ts'

/** Says something of the bot's own, in as many messages as it takes. */
export async function say(sender: TelegramSender, place: TelegramPlace, text: string): Promise<void> {
  for (const part of messageParts(plainText(text))) await sender.send(place, part)
}
