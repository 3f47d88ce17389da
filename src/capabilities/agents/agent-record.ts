import { z } from 'zod'
import { type CapabilityHost, type RecordKind, recordName, recordText } from '../../capability.ts'
import { layouts } from '../../context.ts'
import { ForewordError } from '../../platform.ts'

export const agentSchema = z.strictObject({
  name: recordName.describe('What it is called.'),
  prompt: recordText
    .default('')
    .describe('Its own prompt. Blank: none; an agent that replaces the system prompt then sends none at all.'),
  mode: z
    .enum(['append', 'replace'])
    .default('append')
    .describe('`append`: beside the system prompt. `replace`: in its place.'),
  reminder: recordText.optional().describe('Said again at the very end of every request.'),
  tools: z
    .array(z.string().min(1))
    .optional()
    .describe('Tools that it may use, of those that are allowed; one that ends in `*` stands for all that begin so.'),
  model: z.string().min(1).optional().describe('`provider/model`, where its session chose none.'),
  layout: z
    .enum(Object.keys(layouts) as [string, ...string[]])
    .optional()
    .describe('A layout; as configured where absent.'),
})

/** A custom agent without its id, as people write it. */
export type AgentValue = z.output<typeof agentSchema>

/** What keeps a model from being asked about now may pass: only one that does not exist is refused. */
export function agentRecordKind(host: Pick<CapabilityHost, 'runtime'>): RecordKind<AgentValue> {
  return {
    kind: 'agent',
    schema: agentSchema,
    nameOf: ({ name }) => name,
    async check({ model }, before) {
      if (model === undefined || model === before?.model) return
      await host.runtime.model(model).catch((error: unknown) => {
        if (error instanceof ForewordError && error.code === 'model-not-found') throw error
      })
    },
  }
}
