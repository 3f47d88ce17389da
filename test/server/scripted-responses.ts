import type { KeptResponse, KeptResponses } from '../../src/capabilities/openai-api/responses/kept-responses.ts'

/** Responses that are kept in memory. */
export function scriptedResponses(): KeptResponses {
  const all = new Map<string, KeptResponse>()
  return {
    async keep(kept) {
      all.set(kept.response.id, kept)
      return true
    },
    find: async (id, { by }) => (all.get(id)?.by === by ? all.get(id) : undefined),
    remove: async (id, { by }) => all.get(id)?.by === by && all.delete(id),
    sweep: async () => {},
  }
}
