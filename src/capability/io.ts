import type { Terminal } from '@earendil-works/pi-tui'
import type { AnyCapability } from './capability.ts'

/** The process as the command line sees it: everything it reads and writes comes through here, so that tests need none. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What the commands, options, slash commands and checks of this command line come from, beside its own. */
  readonly capabilities?: readonly AnyCapability[]
  /** Where commands find their gateway. Looked for in the home unless given. */
  readonly connect?: (home: string) => Promise<Connection>
  /** Calls `listener` for Ctrl-C and for a request to end, and answers how to stop listening. The process's own unless given. */
  readonly onInterrupt?: (listener: (signal?: NodeJS.Signals) => void) => () => void
  /** How long the first bytes of a pipe are waited for, ms; two seconds unless given. */
  readonly firstInputMs?: number
  /** Where `chat` draws its editor. The process's own unless given. */
  readonly terminal?: Terminal
  /** Leaves at once. The process's own unless given. */
  readonly exit?: (code: number) => void
}

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** A way to the HTTP API: over the network to a running gateway, or to one inside this process that opens no port. */
export interface Connection {
  /** `path` begins with a slash. The token is added here. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
  /** Its gateway ends with this process: what waits for a person does not go on by itself. */
  readonly inProcess: boolean
}
