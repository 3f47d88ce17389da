/** What the scripted server of these tests does. */
export interface ServerScript {
  readonly tools: readonly ScriptedTool[]
  /** `old` unless given. */
  readonly protocol?: 'old' | 'new' | 'dies-at-probe' | 'silent-at-probe'
  readonly pageSize?: number
  readonly startDelayMs?: number
  /** Said on its error output when it starts. */
  readonly says?: string
  /** Starts a program of its own, which knows nothing of the pipes. */
  readonly child?: boolean
  /** Does not go when it is asked to. */
  readonly stubborn?: boolean
}

export interface ScriptedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: unknown
  readonly annotations?: Readonly<Record<string, unknown>>
  /** The answer to a call; the input as JSON unless given. */
  readonly result?: unknown
  /** How often it announces. Once unless given. */
  readonly times?: number
  readonly does?: 'hang' | 'crash' | 'announce' | 'flood' | 'environment' | 'ask'
}
