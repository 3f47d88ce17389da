/** A command of a conversation, such as `/tools`. */
export interface SlashCommand {
  /** What may follow it, for help: `[ID]`. */
  readonly argument?: string
  /** One line for help. */
  readonly summary: string
  /**
   * It only shows something, whatever follows it (`always`) or where nothing does (`alone`): then it can be used while a turn
   * runs.
   */
  readonly shows?: 'always' | 'alone'
  /** Returns what is printed, over the HTTP API. Throws a `ForewordError` where it cannot be done. */
  run(call: SlashCommandCall): Promise<string | undefined>
}

export interface SlashCommandCall {
  /** What followed the command; empty where nothing did. */
  readonly argument: string
  /** `undefined` before the first message. */
  readonly session: string | undefined
  /** Calls the HTTP API of the gateway. A refusal is a `ForewordError` with its code. */
  ask<Answer>(path: string, init?: { readonly method?: string; readonly body?: unknown }): Promise<Answer>
}
