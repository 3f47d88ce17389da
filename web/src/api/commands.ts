/** A command of a conversation, without its slash. */
export interface ListedCommand {
  readonly name: string
  readonly argument?: string
  readonly summary: string
  /** It only shows something (`alone`: where nothing follows it), so it need not wait for a turn. */
  readonly shows?: 'always' | 'alone'
  /** The text of a template, which goes into the message field. */
  readonly template?: string
}

export interface CommandList {
  readonly commands: readonly ListedCommand[]
  /** Words behind a slash that the models of a provider act on themselves. */
  readonly scripts: readonly { readonly provider: string; readonly words: readonly string[] }[]
}
