import { z } from 'zod'

/** A list's `limit`. */
export const limit = (usual: number, most: number) =>
  z.coerce.number().int().min(1).max(most).default(usual).describe(`At most so many. ${usual} unless said.`)

/** `SEQ` of an entry, `SEQ.N` of the n-th delta behind it, or `live`. */
export const eventId = z
  .string()
  .regex(/^(?:live|\d{1,15}(?:\.\d{1,15})?)$/, 'expected the id of an event, such as 12 or 12.3, or "live"')

export const errorAnswer = z
  .object({ error: z.looseObject({ code: z.string(), message: z.string() }) })
  .meta({ description: 'What went wrong, as a code for programs and a sentence for people, with the facts at hand.' })

export const submitted = z.object({
  session: z.string(),
  turn: z.string(),
  seq: z.number().describe('Place of the input in the log of the session.'),
  repeated: z.boolean().describe('The idempotency key was known: this is the turn that it began.'),
})

export const sessionRow = z.looseObject({
  id: z.string(),
  title: z.string().optional(),
  created: z.string(),
  updated: z.string(),
  turns: z.number(),
  entries: z.number(),
  model: z.string().optional(),
})

export const turnRow = z.looseObject({
  session: z.string(),
  turn: z.string(),
  ordinal: z.number(),
  state: z.enum(['queued', 'running', 'completed', 'cancelled', 'failed']),
  inputTime: z.string(),
})

export const turnView = z.object({
  session: z.string(),
  turn: z.string(),
  outcome: z.looseObject({ type: z.enum(['completed', 'cancelled', 'failed']) }).optional(),
  text: z.string(),
  calls: z.array(z.string()),
  totals: z.object({
    calls: z.number(),
    promptTokensBilled: z.number().optional(),
    cachedTokensBilled: z.number().optional(),
    outputTokensBilled: z.number().optional(),
  }),
})

export const entry = z.looseObject({ session: z.string(), seq: z.number(), time: z.string(), type: z.string() })

export const manifest = z.looseObject({ version: z.literal(1), layout: z.string(), used: z.number() })

export const requestView = z.looseObject({
  tools: z.array(z.looseObject({})),
  system: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })),
})
