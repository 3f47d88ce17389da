import { capability } from '../../capability.ts'

/** The AI SDK's UI message stream: `useChat` from `@ai-sdk/react` works without changes. */
export const aiSdkChat = capability({
  name: 'ai-sdk-chat',
  summary: "Streams turns to the AI SDK's useChat under /api/chat",
  http: { routes: async ({ runtime }) => (await import('./http/chat-routes.ts')).chatRoutes(runtime) },
})
