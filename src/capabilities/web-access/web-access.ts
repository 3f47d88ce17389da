import { capability, environmentVariable, httpAddress, milliseconds } from '../../capability.ts'
import { z } from 'zod'

const webSearch = z.strictObject({
  kind: z.enum(['searxng', 'brave', 'tavily']).describe('Search service.'),
  baseURL: httpAddress().optional().describe('Address of your SearXNG server.'),
  apiKeyEnv: environmentVariable().optional().describe('Environment variable with the key.'),
})

/** Keys below `web`. */
const webSettings = z
  .strictObject({
    search: webSearch
      .optional()
      .describe('Search service for the tool web_search. Without one, the tool is not offered.'),
    allowHosts: z
      .array(z.string().min(1))
      .default([])
      .describe('HOST:PORT of a search service on a private address, such as 127.0.0.1:8888.'),
    maxBytes: z.int().min(1_000).default(5_000_000).describe('The most bytes to read of one page.'),
    timeoutMs: milliseconds().default(20_000).describe('Time limit of one page, ms.'),
  })
  .prefault({})
  .describe('Web pages that tools read.')

export const webAccess = capability({
  name: 'web',
  summary: 'reads pages of the web, and searches it',
  settings: {
    schema: webSettings,
    warnings: ({ allowHosts, search }) =>
      allowHosts.length > 0 && search === undefined
        ? [{ key: 'allowHosts', message: 'has no effect without web.search', hint: 'Name the search service there.' }]
        : [],
  },
  async start({ settings, environment, clock }) {
    const { createDocumentReader } = await import('../../document.ts')
    const { confineNode } = await import('../../tool.ts')
    const { webTools } = await import('./web-tools.ts')
    const reader = createDocumentReader({ clock, limits: { bytes: settings.maxBytes }, confine: confineNode })
    return { ...webTools({ ...settings, clock, environment, readDocument: reader.read }), close: () => reader.close() }
  },
  http: { routes: async ({ service }) => (await import('./image-routes.ts')).imageRoutes(service.fetchImage) },
  promptBlocks: ({ service }) => [service.block],
  status: { warnings: ({ service }) => service.warnings },
  stop: ({ service }) => service.close(),
})
