import { z } from 'zod'
import { type CapabilityHost, type RecordKind, recordName, recordText, sharedWith } from '../../capability.ts'
import { ForewordError, nearestName } from '../../platform.ts'

export function agentSchema(layouts: readonly string[]) {
  return z.strictObject({
    name: recordName.describe('Name of the agent.'),
    prompt: recordText
      .default('')
      .describe('Its own prompt. Blank: none; an agent that replaces the system prompt then sends none at all.'),
    mode: z
      .enum(['append', 'replace'])
      .default('append')
      .describe('`append`: in addition to the system prompt. `replace`: instead of it.'),
    reminder: recordText.optional().describe('Text at the very end of every request.'),
    tools: z
      .array(z.string().min(1))
      .optional()
      .describe(
        'Tools that the agent may use, if the policy allows them. A name that ends in `*` matches every tool with that prefix.',
      ),
    skills: z
      .array(z.string().min(1))
      .optional()
      .describe(
        'Skills that the agent may read and use; all where absent. A name that ends in `*` matches as in `tools`.',
      ),
    model: z.string().min(1).optional().describe('`provider/model` for sessions that choose none.'),
    layout: z
      .enum(layouts as [string, ...string[]], { error: ({ input }) => unknownLayout(input, layouts) })
      .optional()
      .describe('A layout; as configured where absent.'),
    sharedWith,
  })
}

export type AgentValue = z.output<ReturnType<typeof agentSchema>>

/** A model that does not exist is refused; one whose provider cannot be reached now is accepted. */
export function agentRecordKind(host: Pick<CapabilityHost, 'runtime' | 'layouts'>): RecordKind<AgentValue> {
  return {
    kind: 'agent',
    schema: agentSchema(Object.keys(host.layouts)),
    nameOf: ({ name }) => name,
    async check({ model }, before) {
      if (model === undefined || model === before?.model) return
      await host.runtime.model(model).catch((error: unknown) => {
        if (error instanceof ForewordError && error.code === 'model-not-found') throw error
      })
    },
  }
}

function unknownLayout(name: unknown, known: readonly string[]): string {
  const near = nearestName(String(name), known)
  const hint = near === undefined ? `choose one of ${known.join(', ')}` : `did you mean "${near}"?`
  return `unknown layout ${JSON.stringify(name)} (${hint})`
}
