import type { Layer } from '../../context.ts'
import type { CustomAgent, Project } from './custom-agent.ts'
import type { Plugin } from '../../capability/plugin.ts'

/**
 * Layers `custom-agent` and `reminder` of the agent that answers (BEHAVIOURS §3.3, §3.7). In a project the default agent
 * reads the project's instructions as its own; a custom agent reads its own prompt only. An agent that replaces the system
 * prompt has no layer beside it.
 */
export function customAgentPlugin(): Plugin {
  return {
    name: 'custom-agent',
    version: '1',
    layers: async ({ agent, project }) => [...promptOf(agent, project), ...reminderOf(agent)],
  }
}

function promptOf(agent: CustomAgent | undefined, project: Project | undefined): readonly Layer[] {
  if (agent) return agent.mode === 'replace' ? [] : layerOf('custom-agent', agent.prompt, `agent/${agent.id}`)
  return project ? layerOf('custom-agent', project.instructions, `project/${project.id}`) : []
}

function reminderOf(agent: CustomAgent | undefined): readonly Layer[] {
  return agent?.reminder ? layerOf('reminder', agent.reminder, `agent/${agent.id}`) : []
}

function layerOf(layer: string, given: string, ref: string): readonly Layer[] {
  const text = given.trim()
  if (text === '') return []
  const id = layer === 'reminder' ? 'agent-reminder' : layer
  return [{ id, layer, renditions: [{ form: 'full', text }], origin: { kind: 'operator', ref } }]
}
