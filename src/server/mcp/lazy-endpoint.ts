import type { Caller, Runtime } from '../../capability.ts'
import type { McpContributionSource } from './catalogue.ts'
import type { HttpEndpoint } from './http-endpoint.ts'

export const MCP_PATH = '/mcp'

interface LazyEndpointOptions {
  readonly version: string
  readonly maxBodyBytes: number
  readonly unexpected: (error: unknown) => void
  readonly additions: readonly McpContributionSource[]
}

/** The MCP endpoint of a gateway. Its modules are loaded with the first request. */
export function lazyEndpoint(runtime: Runtime, options: LazyEndpointOptions) {
  const { version, maxBodyBytes, unexpected, additions } = options
  let endpoint: Promise<HttpEndpoint> | undefined

  async function opened(): Promise<HttpEndpoint> {
    const [{ httpEndpoint }, { openCatalogue }] = await Promise.all([
      import('./http-endpoint.ts'),
      import('./catalogue.ts'),
    ])
    const catalogue = await openCatalogue(runtime, { unexpected, additions })
    return httpEndpoint(catalogue, { clock: runtime.store.clock, version, maxBodyBytes, unexpected })
  }

  return {
    async fetch(request: Request, caller: Caller) {
      endpoint ??= opened()
      try {
        return await (await endpoint).fetch(request, caller)
      } catch (error) {
        // The next request tries again to open the endpoint.
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
