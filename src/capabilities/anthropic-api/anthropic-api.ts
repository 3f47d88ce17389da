import { capability } from '../../capability.ts'
import { anthropicFailure } from './http/anthropic-failure.ts'

/** Anthropic's format under `/v1/messages`: its official clients work as they are. */
export const anthropicApi = capability({
  name: 'anthropic-api',
  summary: "Answers in Anthropic's format under /v1/messages",
  http: {
    routes: async ({ runtime }) => (await import('./http/anthropic-routes.ts')).anthropicRoutes(runtime),
    errors: [
      { path: '/v1/messages', format: anthropicFailure },
      { path: '/v1/', header: 'anthropic-version', format: anthropicFailure },
    ],
  },
})
