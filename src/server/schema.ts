import { z } from 'zod'
import { placements } from '../context.ts'
import { sessionActivities, turnOutcomeTypes } from '../session.ts'

export const limitSchema = (usual: number, most: number) =>
  z.coerce.number().int().min(1).max(most).default(usual).describe(`The most to list. Default: ${usual}.`)

/** A time that a list begins or ends at. */
export const timeSchema = z.iso.datetime({ offset: true }).optional()

/** Times are stored in UTC, to the millisecond, and compared as texts. */
export function inUtc(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}

/** The query parameter that filters a list by the beginning of the id. */
export const idPrefixSchema = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Only those whose id begins with this, sorted by id: an exact match comes first.')

/** `SEQ` of an entry, `SEQ.N` of the n-th delta after it, or `live`. */
export const eventIdSchema = z
  .string()
  .regex(/^(?:live|\d{1,15}(?:\.\d{1,15})?)$/, 'expected the id of an event, such as 12 or 12.3, or "live"')

export const errorSchema = z
  .object({ error: z.looseObject({ code: z.string(), message: z.string() }) })
  .meta({ description: 'The error: a code for programs, a sentence for people, and the facts.' })

export const submittedSchema = z.object({
  session: z.string(),
  turn: z.string(),
  seq: z.number().describe('Position of the input in the log of the session.'),
  beside: z.string().optional().describe('The turn of the second model.'),
  repeated: z.boolean().describe('The idempotency key was used before: this is the turn that it began.'),
})

export const sessionRowSchema = z.looseObject({
  id: z.string(),
  title: z.string().optional(),
  opening: z.string().optional().describe('What the conversation is about: shown in place of a missing title.'),
  folder: z.string().optional(),
  pinned: z.boolean(),
  state: z
    .enum(sessionActivities)
    .describe(
      '`new`: nothing was said. `works`: a turn runs or is queued. `waits`: for the decision of a person. `failed`: the newest turn failed.',
    ),
  created: z.string(),
  updated: z.string(),
  turns: z.number(),
  entries: z.number(),
  head: z
    .string()
    .nullable()
    .optional()
    .describe(
      'The turn after which it goes on, null for its beginning. Absent: the newest turn; there are no branches.',
    ),
  model: z.string().optional(),
  program: z
    .looseObject({
      name: z.string().describe('Such as `claude-code`.'),
      version: z.string().optional().describe('As it named itself in its newest call.'),
      calls: z.number(),
    })
    .optional()
    .describe(
      'The program that the session belongs to, where its calls go through this gateway: only it continues the session.',
    ),
})

export const turnRowSchema = z.looseObject({
  session: z.string(),
  turn: z.string(),
  ordinal: z.number(),
  state: z.enum(['queued', 'running', ...turnOutcomeTypes]),
  inputTime: z.string(),
  parent: z
    .string()
    .nullable()
    .optional()
    .describe('The turn that it follows, null for none. Absent: the turn whose ordinal is one less.'),
})

export const turnViewSchema = z.object({
  session: z.string(),
  turn: z.string(),
  outcome: z.looseObject({ type: z.enum(turnOutcomeTypes) }).optional(),
  notice: z.string().optional().describe('How the turn ended, for a person; absent for a completed or running turn.'),
  text: z.string(),
  citations: z
    .array(z.looseObject({ citation: z.number(), document: z.string(), title: z.string(), url: z.string().optional() }))
    .optional()
    .describe(
      'The documents that the numbers in its answers refer to, each once, in order; absent where there are none.',
    ),
  calls: z.array(z.string()),
  totals: z.object({
    calls: z.number(),
    promptTokensBilled: z.number().optional(),
    cachedTokensBilled: z.number().optional(),
    outputTokensBilled: z.number().optional(),
  }),
  warnings: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .describe('Warnings about calls that were answered.'),
})

export const entrySchema = z.looseObject({ session: z.string(), seq: z.number(), time: z.string(), type: z.string() })

const placementPriceSchema = z
  .looseObject({
    placement: z.enum(placements),
    full: z
      .number()
      .describe('Tokens that are sent in full, those that the cache loses because of the layer among them.'),
    cached: z.number().describe('Tokens that are read from the cache.'),
    money: z.number().optional().describe('US dollars. Absent where the price of the model is not known.'),
  })
  .describe('What a layer costs at one place, in a hundred calls like the last ones of the session.')

const manifestEntrySchema = z.looseObject({
  places: z
    .looseObject({ here: placementPriceSchema, other: placementPriceSchema, by: z.enum(['layout', 'price']) })
    .optional()
    .describe('Of a layer of a session: the price of its place and of its other place, and what decided between them.'),
})

export const manifestSchema = z.looseObject({
  version: z.literal(1),
  layout: z.string(),
  used: z.number(),
  entries: z.array(manifestEntrySchema).optional(),
})

export const figuresSchema = z
  .looseObject({
    basis: z.enum(['reported', 'forecast', 'counted']),
    total: z.number().describe('The prompt: `cached`, `written` and `fresh` together.'),
    cached: z.number().optional(),
    written: z.number().optional(),
    fresh: z.number().optional(),
    money: z
      .number()
      .optional()
      .describe('US dollars: of the prompt of the next call, of prompt and answer of one that was made.'),
    same: z.number().optional().describe('Tokens at the beginning that the call before had, byte for byte.'),
    window: z.number(),
  })
  .meta({
    description:
      'The figures of a call as every surface shows them, in tokens of its provider. What was not reported is absent.',
  })

export const historySchema = z.coerce
  .number()
  .int()
  .min(0)
  .max(10_000_000)
  .optional()
  .describe(
    'So much of the history, tokens, whatever was cut: to try a larger window. What the call reads unless given.',
  )

export const scenarioAnswer = z
  .looseObject({ name: z.string(), budget: z.looseObject({ window: z.number() }), counter: z.string() })
  .meta({ description: 'In the format of schema/scenario.schema.json.' })

export const requestViewSchema = z.looseObject({
  tools: z.array(z.looseObject({})),
  system: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })),
})

/** The SHA-256 of what a person was shown. */
export const digestSchema = z.string().min(1).max(200)

const callDescriptionSchema = z.looseObject({
  tool: z.string(),
  input: z.unknown(),
  argv: z.array(z.string()).optional().describe('Program and arguments, as they are passed to the system.'),
  command: z.string().optional().describe('Command for a shell, verbatim.'),
  folder: z.string().optional(),
  diff: z.string().optional().describe('The change of a file, as a unified diff.'),
  facts: z.record(z.string(), z.unknown()).optional(),
})

export const toolStatusSchema = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: z.looseObject({}),
  from: z.string().describe('The plugin that provides it; `foreword` for a built-in one.'),
  access: z.enum(['allowed', 'ask', 'refused']),
  rule: z.string().describe('The rule that decided.'),
  reason: z.string().optional(),
  afterUntrusted: z
    .looseObject({ value: z.enum(['ask', 'refuse', 'allow']), rule: z.string().optional() })
    .optional()
    .describe('What happens to a call that is asked for after the model has read texts of others.'),
  offeredIn: z.string().optional().describe('The sessions that it is offered in; absent: all.'),
  withheld: z
    .looseObject({ name: z.string(), digest: z.string() })
    .optional()
    .describe('Its definition has changed since it was accepted.'),
})

export const toolTrialSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('refused'), rule: z.string(), error: z.string() }),
  z.looseObject({ type: z.literal('allowed'), rule: z.string(), call: callDescriptionSchema, digest: z.string() }),
  z.looseObject({ type: z.literal('ask'), rule: z.string(), call: callDescriptionSchema, digest: z.string() }),
])

export const toolResultSchema = z.discriminatedUnion('ok', [
  z.looseObject({ ok: z.literal(true), output: z.string() }),
  z.looseObject({ ok: z.literal(false), error: z.string(), output: z.string().optional() }),
])

export const decidedBySchema = z
  .enum(['http', 'cli', 'web'])
  .default('http')
  .describe('Where the person made the decision.')

export const waitingApprovalSchema = z.looseObject({
  approval: z.string(),
  session: z.string(),
  turn: z.string(),
  toolCallId: z.string(),
  time: z.string(),
  rule: z.string(),
  request: callDescriptionSchema,
  digest: z.string(),
  held: z
    .object({ sentence: z.string(), raise: z.string() })
    .optional()
    .describe('A call to a model that could pass a budget. The scope `session` raises the limit, as `raise` says.'),
  grant: z.string().optional().describe('It is asked only because of `read`: an approval can have the scope `tool`.'),
  program: z
    .string()
    .optional()
    .describe('The program whose call it is. Its `session` is empty where the call is the first of one.'),
  read: z
    .array(
      z.looseObject({
        kind: z.enum(['file', 'web', 'tool']),
        ref: z.string(),
        tool: z.string().optional(),
        owner: z.string().optional(),
        step: z.int().optional(),
      }),
    )
    .optional()
    .describe('Texts of others that the model had read in the turn when it asked for the call. Absent: none.'),
})

export const attachmentsSchema = z
  .array(z.string().min(1))
  .max(50, 'expected at most 50 files: send the others with another message')
  .optional()
  .describe(
    'Ids of files, in the order in which they are placed above the message. The turn waits for files that are still being read. ' +
      'A file of the project or agent of the session goes along as a copy of this moment.',
  )

export const fileVersionsSchema = z.object({
  versions: z.array(z.object({ version: z.number(), time: z.string(), text: z.string() })),
})

/** The fields of what some calls cost together. */
export const costSums = {
  calls: z.number().int().describe('Calls that were sent.'),
  waiting: z
    .number()
    .int()
    .optional()
    .describe('Calls beside them that wait for a budget: they were not sent, and cost nothing yet.'),
  unpriced: z.number().int().describe('Calls without a price or a report of their usage: they are not in the money.'),
  nanoDollars: z.number().int().describe('Billionths of a US dollar: the rows and `rest` add up to `total` exactly.'),
  money: z.number().optional().describe('US dollars, by the prices that are known now. Absent without a priced call.'),
  savedNanoDollars: z
    .number()
    .int()
    .optional()
    .describe('What reading from caches saved, less what writing to them cost more. Absent where calls are divided.'),
}
