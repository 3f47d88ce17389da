import type { Prompt, ResourceTemplateType } from '@modelcontextprotocol/server'
import type { McpDefinitions } from '../../capability.ts'
import { assembleDefinition } from './assemble-definition.ts'

export const explainCallPrompt: Prompt = {
  name: 'explain_call',
  title: 'Explain a model call',
  description: 'Asks what a model was sent in one call, and why something was left out',
  arguments: [{ name: 'call_id', description: 'Its id, as `foreword calls` shows it', required: true }],
}

export const sessionTemplate: ResourceTemplateType = {
  uriTemplate: 'foreword://sessions/{id}',
  name: 'session',
  title: 'Session',
  description: 'What was said in a session, its newest turns',
  mimeType: 'application/json',
}

export const callTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: 'foreword://calls/{id}/manifest',
    name: 'manifest',
    title: 'Manifest of a call',
    description: 'Every piece that was a candidate for a model call, whether it went in, at what cost, and why not',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'foreword://calls/{id}/outline',
    name: 'outline',
    title: 'Outline of a call',
    description: 'The manifest as lines to read',
    mimeType: 'text/plain',
  },
]

/** What the server offers without any capability. */
const ownDefinitions = {
  instructions: 'Every tool answers {success, data, error}.',
  tools: [assembleDefinition],
  templates: [sessionTemplate, ...callTemplates],
  prompts: [explainCallPrompt],
} as const satisfies McpDefinitions

/** Everything that is offered, in its order: first what capabilities add. Known without a home. */
export function allDefinitions(added: readonly McpDefinitions[]): Required<McpDefinitions> {
  const all: readonly McpDefinitions[] = [...added, ownDefinitions]
  return {
    instructions: all.flatMap(({ instructions }) => instructions ?? []).join(' '),
    tools: all.flatMap(({ tools = [] }) => tools),
    templates: all.flatMap(({ templates = [] }) => templates),
    prompts: all.flatMap(({ prompts = [] }) => prompts),
  }
}
