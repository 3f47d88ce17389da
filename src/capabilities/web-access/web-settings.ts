import { z } from 'zod'
import { environmentVariable, httpAddress, milliseconds } from '../../capability.ts'

const webSearch = z.strictObject({
  kind: z.enum(['searxng', 'brave', 'tavily']).describe('Which search service.'),
  baseURL: httpAddress().optional().describe('Where a SearXNG of your own is.'),
  apiKeyEnv: environmentVariable().optional().describe('Environment variable that holds the key.'),
})

/** Keys below `web`. */
export const webSettings = z
  .strictObject({
    search: webSearch.optional().describe('Search service of the tool web_search, which is not offered without one.'),
    allowHosts: z
      .array(z.string().min(1))
      .default([])
      .describe('HOST:PORT that the search service may be at although it is not public, such as 127.0.0.1:8888.'),
    maxBytes: z.int().min(1_000).default(5_000_000).describe('The most of one page that is read, bytes.'),
    timeoutMs: milliseconds().default(20_000).describe('How long one page may take, ms.'),
  })
  .prefault({})
  .describe('Pages of the web that tools read.')
