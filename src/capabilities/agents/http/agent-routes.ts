import type { CapabilityHost, Records, Route } from '../../../capability.ts'
import type { Runtime } from '../../../runtime.ts'
import { isListed } from '../../../tool.ts'
import { recordRoutes } from '../../../server.ts'
import { agentSchema, type AgentValue } from '../agent-record.ts'

interface AgentParts extends Pick<CapabilityHost, 'layouts'> {
  readonly service: Records<AgentValue>
  readonly runtime: Pick<Runtime, 'tools' | 'choiceOptions'>
}

export function agentRoutes({ service, runtime, layouts }: AgentParts): readonly Route[] {
  return recordRoutes(() => service, {
    name: 'agent',
    one: 'an agent',
    schema: agentSchema(Object.keys(layouts)),
    findWarnings: async (value) => [
      ...(await unknownTools(runtime, value as AgentValue | undefined)),
      ...(await unknownSkills(runtime, value as AgentValue | undefined)),
    ],
  })
}

/** Tools of a server that is away may come back. */
async function unknownTools(
  runtime: Pick<Runtime, 'tools'>,
  agent: AgentValue | undefined,
): Promise<readonly string[]> {
  const { tools = [] } = agent ?? {}
  if (tools.length === 0) return []
  const known = (await runtime.tools()).map(({ name }) => name)
  const unknown = tools.filter((named) => !known.some((name) => isListed([named], name)))
  return unknown.map((named) =>
    named.endsWith('*')
      ? `No tool's name begins with ${named.slice(0, -1)}. \`foreword tools\` lists them.`
      : `No tool ${named} is loaded. \`foreword tools\` lists them.`,
  )
}

async function unknownSkills(
  runtime: Pick<Runtime, 'choiceOptions'>,
  agent: AgentValue | undefined,
): Promise<readonly string[]> {
  const { skills = [] } = agent ?? {}
  if (skills.length === 0) return []
  const known = ((await runtime.choiceOptions('skills').catch(() => undefined)) ?? []).map(({ id }) => id)
  const unknown = skills.filter((named) => !known.some((name) => isListed([named], name)))
  return unknown.map((named) => `No skill ${named} is loaded. \`foreword skills\` lists them.`)
}
