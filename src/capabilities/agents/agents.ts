import {
  capability,
  knownLayout,
  recordChoice,
  type Records,
  type Self,
  type SessionChoice,
  textLayer,
} from '../../capability.ts'
import type { Layer } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { AgentValue } from './agent-record.ts'

type AgentsSelf = Self<undefined, Records<AgentValue>>

const agent: SessionChoice<AgentsSelf> = {
  summary: 'Id of the custom agent that answers.',
  none: 'the default agent',
  ...recordChoice<AgentsSelf>('agent'),
  async preset({ service, layouts: known }, id) {
    const found = await service.find(id)
    if (!found) return undefined
    const { model, layout: name, tools, skills, mode, prompt } = found.value
    const system = mode === 'replace' ? { text: prompt, ref: agentRef(id) } : undefined
    return defined({ model, layout: await knownLayout(name, known), tools, only: skills && { skills }, system })
  },
  files: {
    sent: false,
    search: {
      name: 'search_files_of_agent',
      description: 'Search the files you were given. Gives numbered passages to cite.',
      offeredIn: 'sessions of a custom agent that has files with text',
    },
  },
}

/** Custom agents: a prompt with its tools, skills, model and layout (BEHAVIOURS §3.3, §3.7). */
export const agents = capability<undefined, Records<AgentValue>>({
  name: 'agents',
  summary: 'custom agents: a prompt with tools, a model and a layout of its own',
  sessions: { choices: { agent } },
  commands: { agents: async () => (await import('./cli/agents.ts')).agentsCommand },
  start: async (host) => host.records((await import('./agent-record.ts')).agentRecordKind(host)),
  async turn({ service }, { choices }) {
    const id = choices['agent']
    const found = id === undefined ? undefined : await service.find(id)
    if (!found) return {}
    const layers = agentLayers(found.id, found.value)
    return { layers: () => layers }
  },
  http: { routes: async (self) => (await import('./http/agent-routes.ts')).agentRoutes(self) },
})

function agentLayers(id: string, { mode, prompt, reminder = '' }: AgentValue): readonly Layer[] {
  const beside = mode === 'replace' ? '' : prompt.trim()
  const last = reminder.trim()
  return [
    ...(beside === '' ? [] : [textLayer('custom-agent', beside, agentRef(id))]),
    ...(last === '' ? [] : [{ ...textLayer('reminder', last, agentRef(id)), id: 'agent-reminder' }]),
  ]
}

function agentRef(id: string): string {
  return `agent/${id}`
}
