import type { Runtime } from '../../runtime.ts'
import { lateCatalogue } from './late-catalogue.ts'
import { stdioConnection, type StdioConnection, type StdioOptions } from './stdio-door.ts'

export interface McpStdioOptions extends StdioOptions {
  readonly home: string
  /** Opens the home. Called for the first that needs it, and again after it has failed. */
  readonly open: () => Promise<Runtime>
}

/**
 * Serves a home to one MCP client over the standard input and output. The client is answered before the home is open: it
 * waits for the list of tools, and mostly for nothing else.
 */
export function serveMcpOverStdio({ home, open, ...options }: McpStdioOptions): StdioConnection {
  const { unexpected } = options
  const time = () => new Date().toISOString()
  const catalogue = async () => {
    const [runtime, { runtimeCatalogue }] = await Promise.all([open(), import('./runtime-catalogue.ts')])
    return runtimeCatalogue(runtime, { home, time, unexpected })
  }
  return stdioConnection(lateCatalogue(catalogue, home), options)
}
