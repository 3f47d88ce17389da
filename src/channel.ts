export { type TelegramChannel, telegramChannel } from './channel/telegram/telegram-channel.ts'
export type { TelegramOptions } from './channel/telegram/telegram-options.ts'
