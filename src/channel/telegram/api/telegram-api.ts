import type { Api } from 'grammy'

export interface TelegramApiOptions {
  readonly token: string
  /** `https://api.telegram.org`, or a Bot API server of one's own. */
  readonly apiRoot: string
  /** How long a call may take, s; longer than a long poll. 60 unless given. */
  readonly timeoutSeconds?: number
}

/** grammY's door to the Bot API over Node's own fetch. It loads grammY, which is why it has to be waited for. */
export async function telegramApi({ token, apiRoot, timeoutSeconds = 60 }: TelegramApiOptions): Promise<Api> {
  const { Api: GrammyApi } = await import('grammy')
  return new GrammyApi(token, {
    apiRoot: apiRoot.replace(/\/+$/, ''),
    timeoutSeconds,
    // What grammY brings puts the address, which holds the token, into its errors.
    fetch,
  })
}
