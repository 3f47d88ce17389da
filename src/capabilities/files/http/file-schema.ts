import { z } from 'zod'

const fileState = z.discriminatedUnion('type', [
  z.object({ type: z.literal('processing') }),
  z.object({
    type: z.literal('ready'),
    reading: z.looseObject({
      kind: z.enum(['text', 'table', 'image']),
      characters: z.number().optional(),
      tokens: z.number().optional().describe('By the counter that is named; only of text.'),
      indexed: z.boolean().optional().describe('It can be searched.'),
    }),
  }),
  z.object({ type: z.literal('failed'), code: z.string(), reason: z.string() }),
])

export const fileRow = z.looseObject({
  id: z.string(),
  name: z.string(),
  time: z.string(),
  owner: z.object({ type: z.enum(['session', 'agent', 'project']), id: z.string() }),
  bytes: z.number(),
  hash: z.string().describe('SHA-256.'),
  state: fileState,
  repeated: z.literal(true).optional().describe('Handing it in: its owner has this very file already.'),
})

export const refusedFile = z.object({ name: z.string(), code: z.string(), message: z.string() })
