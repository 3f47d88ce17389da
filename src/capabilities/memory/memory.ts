import { capability, serviceKey } from '../../capability.ts'
import {
  memoryLayers,
  sessionsIn,
  withheldConversation,
  type MemorySettings,
  memorySettings,
} from './core/memory-layers.ts'
import type { Memory } from './core/memory.ts'

export const memoryService = serviceKey<Pick<Memory, 'show' | 'forget'>>('memory')

/** Memory of the earlier sessions of the same conversation (BEHAVIOURS §2.1). */
export const memory = capability<MemorySettings, Memory>({
  name: 'memory',
  summary: 'What the last session of a conversation was about, and earlier calls of tools that a message finds.',
  settings: {
    schema: memorySettings.prefault({}).describe('What turns are given of earlier sessions.'),
    key: 'context.memory',
  },
  commands: { memory: async () => (await import('./cli/memory.ts')).memoryCommand },
  async start(host) {
    const { createMemory } = await import('./core/memory.ts')
    const { store, clock, settings, layout, counter } = host
    return createMemory({
      store,
      clock,
      settings,
      layout,
      counter,
      complete: (input) => host.runtime.complete(input),
      recall: {
        find: (query) => host.runtime.recall.find(query),
        conversationSessions: (session) => host.runtime.recall.conversationSessions(session),
      },
      warn: (text) => host.warn(text),
    })
  },
  layers: withheldConversation,
  async turn({ service }, question) {
    const { whole, hasAny, now } = await service.read(question)
    if (!whole) return { readsForeign: hasAny }
    return {
      readsForeign: hasAny,
      layers({ layout }) {
        const reading = now()
        return reading ? memoryLayers(reading, layout) : []
      },
      holds(layer) {
        const sessions = sessionsIn(whole, layer)
        return sessions.length > 0 ? sessions : undefined
      },
    }
  },
  http: {
    routes: async ({ service }) =>
      (await import('./http/memory-routes.ts')).memoryRoutes({ memory: service.show, forgetMemory: service.forget }),
  },
  sessions: {
    conversation: ({ service }, session, sessions) => service.remembered(session, sessions),
    started: ({ service }, session) => service.askAhead(session),
    deleted: ({ service }, session) => service.sessionDeleted(session),
  },
  lifecycle: { idle: ({ service }) => service.idle() },
  stop: ({ service }) => service.close(),
})
