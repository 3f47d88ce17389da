import { z } from 'zod'
import { layouts } from '../../context.ts'
import type { CustomAgent, Project } from '../../capability.ts'
import type { RecordKind } from '../../runtime/records.ts'

const name = z
  .string()
  .trim()
  .min(1, 'needs a name')
  .max(100, 'is longer than 100 characters')
  .regex(/^[^\p{Cc}]*$/u, 'must be one line')

const text = z.string().max(200_000, 'is longer than 200,000 characters')

/** A custom agent without its id, as people write it. */
export type AgentValue = Omit<CustomAgent, 'id'>
/** A project without its id. */
export type ProjectValue = Omit<Project, 'id'>

export const agentSchema = z.strictObject({
  name: name.describe('What it is called.'),
  prompt: text
    .default('')
    .describe('Its own prompt. Blank: none; an agent that replaces the system prompt then sends none at all.'),
  mode: z
    .enum(['append', 'replace'])
    .default('append')
    .describe('`append`: beside the system prompt. `replace`: in its place.'),
  reminder: text.optional().describe('Said again at the very end of every request.'),
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

export const projectSchema = z.strictObject({
  name: name.describe('What it is called.'),
  instructions: text.default('').describe('What the default agent reads in this project.'),
})

export const agentKind: RecordKind<AgentValue> = {
  kind: 'agent',
  schema: agentSchema,
  nameOf: ({ name: called }) => called,
}

export const projectKind: RecordKind<ProjectValue> = {
  kind: 'project',
  schema: projectSchema,
  nameOf: ({ name: called }) => called,
}
