/** What the Bot API answers instead of a result. */
export class BotApiRefusal extends Error {
  override readonly name = 'BotApiRefusal'
  readonly code: number
  readonly parameters: Readonly<Record<string, number>> | undefined

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

export function badRequest(description: string): BotApiRefusal {
  return new BotApiRefusal(400, `Bad Request: ${description}`)
}
