import type { Records, Route } from '../../../capability.ts'
import { type Runtime } from '../../../runtime.ts'
import { isListed } from '../../../tool.ts'
import { recordRoutes } from '../../../server.ts'
import { agentSchema, type AgentValue } from '../agent-record.ts'

/** Custom agents, made, changed and brought back. */
export function agentRoutes(agents: Records<AgentValue>, runtime: Pick<Runtime, 'tools'>): readonly Route[] {
  return recordRoutes(() => agents, {
    name: 'agent',
    one: 'an agent',
    schema: agentSchema,
    warningsOf: (value) => unknownTools(runtime, value as AgentValue | undefined),
  })
}

/** Tools that an agent names and that are not there now: those of a server that is away may come back. */
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
      : `There is no tool ${named}. \`foreword tools\` lists them.`,
  )
}
