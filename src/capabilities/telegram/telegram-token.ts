import { readFile } from 'node:fs/promises'
import type { TelegramSettings } from './telegram-schema.ts'

/** The bot's token, or why there is none. The reason holds nothing of it. */
export type TelegramToken = { readonly token: string } | { readonly why: string }

/** Looks where the configuration says: in the environment first, then in the file. */
export async function telegramToken(
  { tokenEnv, tokenFile }: Pick<TelegramSettings, 'tokenEnv' | 'tokenFile'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<TelegramToken> {
  if (tokenEnv === undefined && tokenFile === undefined) {
    return { why: "no token is named. Set channels.telegram.tokenEnv or tokenFile to where the bot's token is." }
  }
  const token = tokenEnv === undefined ? undefined : environment[tokenEnv]?.trim()
  if (token) return { token }
  if (tokenFile === undefined) return { why: `the environment variable ${tokenEnv} is not set.` }
  try {
    const text = (await readFile(tokenFile, 'utf8')).trim()
    return text === '' ? { why: `the file ${tokenFile} is empty.` } : { token: text }
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'it fails'
    return { why: `the file ${tokenFile} of the bot's token cannot be read (${why}).` }
  }
}
