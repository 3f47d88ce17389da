import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { createRequestStateCodec } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { McpCatalogue, McpDefinitions, Runtime } from '../../capability.ts'
import { answeringTransport } from './answering-transport.ts'
import type { McpAddition } from './catalogue.ts'
import { lateCatalogue } from './late-catalogue.ts'
import { protocolServer } from './protocol-server.ts'

export interface McpStdioOptions extends StdioOptions {
  readonly home: string
  /** What capabilities add, in their order: of each its `definitions`, before the home is open. */
  readonly definitions?: readonly McpDefinitions[]
  /** Opens the home. Called for the first that needs it, and again after it has failed. */
  readonly open: () => Promise<OpenHome>
}

export interface OpenHome {
  readonly runtime: Runtime
  /** In the order of `definitions`. */
  readonly additions: readonly McpAddition[]
}

/**
 * Serves a home to one MCP client over the standard input and output. The client is answered before the home is open: it
 * waits for the list of tools, and mostly for nothing else.
 */
export function serveMcpOverStdio({ home, definitions = [], open, ...options }: McpStdioOptions): StdioConnection {
  const { unexpected } = options
  const time = () => new Date().toISOString()
  const catalogue = async () => {
    const [{ runtime, additions }, { openCatalogue }] = await Promise.all([open(), import('./catalogue.ts')])
    return openCatalogue(runtime, { home, time, unexpected, additions })
  }
  return stdioConnection(lateCatalogue(catalogue, home, definitions), options)
}

interface StdioOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly version: string
  /** Whether the person behind the client may be asked. */
  readonly asksPersons: boolean
  /** Called with failures that nobody expected. */
  readonly unexpected: (error: unknown) => void
}

/** One client over the standard input and output. */
export interface StdioConnection {
  /** Resolves when the input has ended and all of it is answered, with a broken output, or after `close`. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

function stdioConnection(catalogue: McpCatalogue, options: StdioOptions): StdioConnection {
  const { stdin, stdout, version, asksPersons, unexpected } = options
  const seals = createRequestStateCodec({ key: randomBytes(32), bind: ({ mcpReq: { method } }) => method })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const transport = answeringTransport(stdin, stdout, resolve)
  const handle = serveStdio(({ era }) => protocolServer(catalogue, era, { version, seals, asksPersons, unexpected }), {
    transport,
    onerror: (error) => unexpected(inWords(error)),
  })
  return { ended, close: handle.close }
}

/** Of a line that is no message there are pages of schema faults; who reads the log of a client wants to know what it means. */
function inWords(error: Error): Error {
  if (!('issues' in error)) return error
  return new Error('the client sent a line that is no message of MCP, and it was left out.', { cause: error })
}
