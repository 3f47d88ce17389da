import { z } from 'zod'
import { defined } from '../../../platform.ts'
import type { KnownModel } from '../../../server.ts'

export const modelPage = z.object({
  limit: z.coerce.number().int().min(1).max(1000).optional(),
  after_id: z.string().optional(),
  before_id: z.string().optional(),
})

export function messagesModelList(
  models: readonly KnownModel[],
  { limit, after_id: after, before_id: before }: z.output<typeof modelPage>,
) {
  const place = (id: string | undefined) => models.findIndex((model) => model.id === id)
  const rest = before === undefined ? models.slice(place(after) + 1) : models.slice(0, Math.max(0, place(before)))
  const most = limit ?? rest.length
  const shown = before === undefined ? rest.slice(0, most) : rest.slice(Math.max(0, rest.length - most))
  return {
    data: shown.map(messagesModel),
    has_more: shown.length < rest.length,
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
  }
}

export function messagesModel({ id, known }: KnownModel) {
  const { window, facts } = known ?? {}
  const supported = (is: boolean) => ({ supported: is })
  return {
    type: 'model',
    id,
    display_name: known?.id ?? id,
    // When a model was released is not known.
    created_at: '1970-01-01T00:00:00Z',
    lifecycle: 'active',
    deprecated_at: null,
    ...defined({ max_input_tokens: window }),
    ...(facts && window !== undefined ? { max_tokens: Math.min(facts.maxOutput, window) } : {}),
    ...(facts
      ? {
          capabilities: {
            image_input: supported(facts.vision),
            thinking: supported(facts.reasoning),
            tools: supported(facts.tools),
          },
          foreword: { source: facts.source, reserve: known?.reserve },
        }
      : {}),
  }
}
