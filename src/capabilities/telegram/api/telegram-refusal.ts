/** Telegram understood a call and refused it; the same call again would be refused again. Holds no token. */
export class TelegramRefusal extends Error {
  override readonly name = 'TelegramRefusal'
  readonly method: string
  /** HTTP status in Telegram's own words: 400 something is wrong or unknown, 401 wrong token, 403 blocked or thrown out. */
  readonly code: number
  /** Telegram's own sentence, such as `Bad Request: chat not found`. */
  readonly description: string
  /** The chat became a supergroup and has this id now. */
  readonly migratedTo: number | undefined

  constructor(method: string, refused: { code: number; description: string; migratedTo?: number | undefined }) {
    super(`Telegram refused ${method}: ${refused.code} ${refused.description}`)
    this.method = method
    this.code = refused.code
    this.description = refused.description
    this.migratedTo = refused.migratedTo
  }
}
