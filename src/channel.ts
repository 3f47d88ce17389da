export { type TelegramChannel, telegramChannel } from './capabilities/telegram/telegram-channel.ts'
export type { TelegramOptions } from './capabilities/telegram/telegram-options.ts'
