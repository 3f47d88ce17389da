import { placements } from './layer.ts'
import { usualLayout } from './layouts.ts'
import { z } from 'zod'

/** The published JSON Schema of the format. */
export function scenarioJsonSchema(): Record<string, unknown> {
  return {
    $id: 'https://foreword.dev/schema/scenario.json',
    title: 'Foreword scenario',
    ...z.toJSONSchema(scenarioSchema, { io: 'input' }),
  }
}

/** A scenario with its defaults filled in. */
export type Scenario = z.output<typeof scenarioSchema>

const tokens = z.number().int().nonnegative()
const price = z.number().nonnegative()
const placement = z.enum(placements)
const priority = z.enum(['required', 'high', 'normal', 'low'])
const id = z.string().min(1)

const origin = z.strictObject({
  kind: z.enum(['operator', 'user', 'file', 'web', 'tool', 'model']),
  ref: z.string(),
})

const reason = z
  .object({ code: id })
  .catchall(z.union([z.number(), z.string()]))
  .describe('A code, and the numbers that belong to it.')

const layer = z
  .strictObject({
    id,
    layer: id,
    placement: placement.optional(),
    priority: priority.optional(),
    origin: origin.optional(),
    withheld: reason.optional().describe('Left out before anybody counted, and why.'),
    because: reason.optional().describe('Why it is here.'),
    frame: z
      .string()
      .optional()
      .describe('What its text is, in the first line of its frame, where the layout has frames.'),
    text: z.string().optional().describe('Short for one rendition "full".'),
    tokens: tokens.optional(),
    renditions: z
      .array(z.strictObject({ form: id, text: z.string(), tokens: tokens.optional() }))
      .min(1)
      .optional()
      .describe('Fullest first.'),
  })
  .refine((value) => (value.text === undefined) !== (value.renditions === undefined), {
    error: 'give either text or renditions',
  })

const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  tokens: tokens.optional().describe('What the message costs by the counter "declared"; 0 if left out.'),
})

const turn = z.strictObject({ id, messages: z.array(message) })

const noteMark = {
  content: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe('`sha256:HASH` of its text.'),
  from: id.describe('The oldest turn that it covers.'),
  to: id.describe('The newest turn that it covers.'),
  turns: z.int().positive(),
  by: z.string().optional().describe('The call whose model wrote words of it.'),
  indexAt: z.int().nonnegative().optional().describe('Where the index begins in its text, characters.'),
}

const cut = z.strictObject({
  dropBefore: z.string().optional(),
  clearBefore: z.string().optional(),
  excerptBefore: z.string().optional(),
  first: z.array(id).optional().describe('Turns at the beginning that stay as they were said.'),
  notes: z.array(z.looseObject(noteMark)).optional().describe('Notes on what is left out behind them.'),
})

/** The format of a scenario (docs/guide/scenarios.md). */
export const scenarioSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().default('scenario'),
  layout: z
    .union([
      z.string(),
      z.strictObject({
        extends: z.string(),
        placements: z.record(z.string(), z.enum([...placement.options, 'auto'])).optional(),
        priorities: z.record(z.string(), priority).optional(),
        cut: z
          .strictObject({ unit: z.enum(['turn', 'message']).optional(), lowWater: z.number().min(0).max(1).optional() })
          .optional(),
        headShare: z.number().min(0).max(1).optional(),
        fileFrame: z
          .enum(['plain', 'closed', 'hashed'])
          .optional()
          .describe('How text of others is separated from the words of people.'),
      }),
    ])
    .default(usualLayout),
  budget: z.strictObject({ window: tokens, reserve: tokens.default(0), margin: tokens.default(0) }),
  counter: z.string().default('tokenx'),
  layers: z.array(layer).default([]),
  history: z.array(turn).default([]),
  current: turn,
  attachments: z
    .array(
      z.strictObject({
        turn: id,
        id,
        file: z.string().optional().describe('What the tool that reads files calls it; `id` if left out.'),
        name: z.string(),
        text: z.string().optional(),
        digest: z.string().optional().describe('SHA-256 of the text, hexadecimal. Made if left out.'),
        tokens: tokens.optional(),
        announces: z
          .strictObject({ layer: z.string(), origin })
          .optional()
          .describe('It is no file: the text tells of a change of this layer of the head, and is sent as it is.'),
      }),
    )
    .default([]),
  tools: z
    .array(
      z.strictObject({
        name: id,
        description: z.string().optional(),
        inputSchema: z.record(z.string(), z.unknown()),
        strict: z.boolean().optional().describe('Whether the provider has to keep its calls to the schema.'),
        tokens: tokens.optional(),
        keepsOutput: z.boolean().optional().describe('Its results stay whole while their turn stays in the history.'),
        reads: z
          .enum(['history', 'files'])
          .optional()
          .describe(
            'What was left out and can be read with it: the notes on it name the tool. Where absent, "history" for a tool named read_history and "files" for one named read_attachment.',
          ),
        offeredWith: z
          .strictObject({ layer: z.string(), form: z.string() })
          .optional()
          .describe('Offered only in calls that send this layer in this form.'),
        neutralized: z
          .strictObject({
            control: tokens.optional(),
            format: tokens.optional(),
            template: tokens.optional(),
            markdown: tokens.optional(),
          })
          .optional()
          .describe('How many signs of each kind are written out in the description and the schema.'),
      }),
    )
    .default([]),
  cut: cut.optional(),
  notes: z
    .strictObject({
      written: z.array(z.looseObject({ ...noteMark, text: z.string() })).default([]),
      words: z
        .strictObject({ through: id, text: z.string(), call: z.string(), folds: z.boolean().optional() })
        .optional()
        .describe('Words of a model for the next note, on everything up to a turn.'),
      cacheOver: z
        .boolean()
        .optional()
        .describe("Nothing of the conversation is in the provider's cache any more: a cut that is near is made now."),
      worth: z
        .strictObject({
          calls: tokens,
          read: price,
          write: price,
          cliff: z.strictObject({ tokens, read: price, growth: tokens }).optional(),
        })
        .optional()
        .describe(
          'What an early cut is weighed by: expected calls, prices of cached and of fresh tokens, and where a call costs more.',
        ),
    })
    .optional()
    .describe('Notes take the place of what is cut out, in layouts that have room for them. Absent: none do.'),
  earlier: z.strictObject({ turns: tokens, tokens }).optional().describe('Older turns that are not listed.'),
  undone: z
    .array(z.strictObject({ turn: id, tokens }))
    .optional()
    .describe('Turns that were taken back: the account names them, and nobody reads them.'),
  images: z
    .strictObject({
      seen: z.boolean().default(true).describe('Whether the model sees images.'),
      inResults: z.boolean().default(true).describe('Whether its provider carries images in tool results.'),
      byAddress: z.boolean().default(true).describe('Whether its provider carries images as web addresses.'),
      gone: z.array(z.string()).default([]).describe('Ids of stored images that are no longer there.'),
    })
    .optional()
    .describe('Which images reach the model. Markers are sent in the place of the others.'),
  model: z.string().optional(),
})
