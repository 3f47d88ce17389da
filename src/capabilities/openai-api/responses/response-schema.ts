import { z } from 'zod'
import { REASONING_EFFORTS } from '../../../model.ts'

/** An item of an input. What each type needs is read where it is converted, so that a refusal can name the item. */
const item = z.looseObject({
  type: z.string().nullish(),
  id: z.string().nullish(),
  role: z.string().nullish(),
})

const tool = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
})

const toolChoice = z.union([z.string(), z.looseObject({ type: z.string(), name: z.string().nullish() })])

const format = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().min(1),
    description: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
])

const known = {
  model: z.string().optional().describe('`foreword`, `default` or none: the configured model. Else `provider/model`.'),
  input: z.union([z.string(), z.array(item)], 'expected a text or an array of items').optional(),
  instructions: z.string().nullish().describe('Sent as the first system message. Not part of what is kept.'),
  previous_response_id: z
    .string()
    .min(1)
    .nullish()
    .describe('Goes on after this response: in its session, or after what was kept of it.'),
  user: z.string().min(1).nullish().describe('A conversation that Foreword keeps: the input continues its session.'),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish().describe('`false`: nothing is kept of the response outside the ledger of calls.'),
  background: z.boolean().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.number().int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.enum(REASONING_EFFORTS).nullish(), summary: z.string().nullish() }).nullish(),
  truncation: z
    .enum(['auto', 'disabled'])
    .nullish()
    .describe('If the input does not fit: `auto` leaves out the oldest, `disabled` refuses it.'),
  metadata: z.record(z.string(), z.unknown()).nullish().describe('Comes back with the response.'),
}

export const responseBody = z.looseObject(known)

export const responseFields: readonly string[] = Object.keys(known)

export type ResponseBody = z.output<typeof responseBody>
export type ResponseItem = Readonly<z.output<typeof item>>
export type ResponseTool = Readonly<z.output<typeof tool>>

export function inputItems({ input = [] }: Pick<ResponseBody, 'input'>): readonly ResponseItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input
}
