import type { Readable, Writable } from 'node:stream'
import type { Runtime } from '../../runtime.ts'
import type { StdioConnection } from './stdio-door.ts'

export interface McpStdioOptions {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly version: string
  /** Whether the person behind the client may be asked to confirm proposals. */
  readonly asksPersons: boolean
  /** Told of failures that nobody expected. */
  readonly unexpected: (error: unknown) => void
}

/** Serves a runtime to one MCP client over the standard input and output. */
export async function serveMcpOverStdio(runtime: Runtime, options: McpStdioOptions): Promise<StdioConnection> {
  const [{ stdioConnection }, { runtimeCatalogue }, { home }] = await Promise.all([
    import('./stdio-door.ts'),
    import('./runtime-catalogue.ts'),
    runtime.status(),
  ])
  const time = () => new Date().toISOString()
  return stdioConnection(runtimeCatalogue(runtime, { home, time, unexpected: options.unexpected }), options)
}
