import { capability } from '../../capability.ts'
import { openaiFailure } from './http/openai-failure.ts'

/** OpenAI's format under `/v1`: its official clients work as they are. */
export const openaiApi = capability({
  name: 'openai-api',
  summary: "Answers in OpenAI's format under /v1",
  async routes({ runtime }) {
    const { openaiRoutes } = await import('./http/openai-routes.ts')
    return openaiRoutes(runtime)
  },
  errorFormat: { path: '/v1/', format: openaiFailure },
})
