import type { Runtime } from '../../runtime.ts'
import type { HttpEndpoint } from './http-endpoint.ts'

/** Where programs that speak MCP enter. */
export const MCP_PATH = '/mcp'

export interface DoorOptions {
  readonly version: string
  readonly maxBodyBytes: number
  /** Told of failures that nobody expected. */
  readonly unexpected: (error: unknown) => void
}

export interface McpDoor {
  fetch(request: Request): Promise<Response>
  /** Ends every stream and forgets every client; whoever comes back begins anew. */
  close(): void
}

/** The MCP door of a gateway. What it needs is loaded with the first request. */
export function mcpDoor(runtime: Runtime, { version, maxBodyBytes, unexpected }: DoorOptions): McpDoor {
  let endpoint: Promise<HttpEndpoint> | undefined

  async function opened(): Promise<HttpEndpoint> {
    const [{ httpEndpoint }, { runtimeCatalogue }, { home }] = await Promise.all([
      import('./http-endpoint.ts'),
      import('./runtime-catalogue.ts'),
      runtime.status(),
    ])
    const time = () => new Date().toISOString()
    const catalogue = runtimeCatalogue(runtime, { home, time, unexpected })
    return httpEndpoint(catalogue, { version, maxBodyBytes, unexpected })
  }

  return {
    async fetch(request) {
      endpoint ??= opened()
      try {
        return await (await endpoint).fetch(request)
      } catch (error) {
        // What could not be opened is tried again with the next request.
        void endpoint?.catch(() => (endpoint = undefined))
        throw error
      }
    },
    close() {
      const closing = endpoint
      endpoint = undefined
      void closing?.then((open) => open.close()).catch(unexpected)
    },
  }
}
