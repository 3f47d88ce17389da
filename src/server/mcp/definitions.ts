import type { Prompt, ResourceTemplateType, Tool } from '@modelcontextprotocol/server'
import type { McpDefinitions } from '../../capability.ts'
import { envelopeSchema } from './envelope.ts'

export const scenarioAddress = 'foreword://schema/scenario'

/** Short, since clients send it with every call of a model. The handler checks a scenario against the complete schema. */
const inputSchema: Tool['inputSchema'] = {
  type: 'object',
  properties: {
    budget: { type: 'object', description: 'Tokens: {window, reserve?, margin?}' },
    current: { type: 'object', description: 'The current turn: {id, messages: [{role, content}]}' },
    history: { type: 'array', description: 'Earlier turns, as current, oldest first' },
    layers: { type: 'array', description: '[{id, layer, text}]' },
    tools: { type: 'array', description: '[{name, description, inputSchema}]' },
    layout: { description: 'auto unless given' },
    counter: { type: 'string', description: 'tokenx unless given' },
  },
  required: ['budget', 'current'],
}

const resultSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    request: {
      type: 'object',
      properties: { system: { type: 'string' }, messages: { type: 'array' }, tools: { type: 'array' } },
      required: ['messages', 'tools'],
    },
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' } },
      required: ['code', 'message'],
    },
    manifest: { type: 'object' },
    outline: { type: 'string' },
  },
  required: ['name', 'manifest', 'outline'],
}

export const assembleDefinition: Tool = {
  name: 'assemble',
  title: 'Assemble a context',
  description:
    'Says what a model would be sent for a scenario: the request, the manifest that accounts for every piece, and an ' +
    `outline to read. Calls no model. The resource ${scenarioAddress} has the whole format.`,
  inputSchema,
  outputSchema: envelopeSchema(resultSchema),
  annotations: {
    title: 'Assemble a context',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}

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

/** Everything that the server offers, in order: first what capabilities add. Known without a home. */
export function allDefinitions(added: readonly McpDefinitions[]): Required<McpDefinitions> {
  const all: readonly McpDefinitions[] = [...added, ownDefinitions]
  return {
    instructions: all.flatMap(({ instructions }) => instructions ?? []).join(' '),
    tools: all.flatMap(({ tools = [] }) => tools),
    templates: all.flatMap(({ templates = [] }) => templates),
    prompts: all.flatMap(({ prompts = [] }) => prompts),
  }
}

/** The address of one resource, such as `foreword://sessions/ID`. */
export function resourceAddress(kind: string, id: string): string {
  return `foreword://${kind}/${encodeURIComponent(id)}`
}

/** Parses `foreword://KIND/ID` or `foreword://KIND/ID/PART`. `undefined` for any other text. */
export function parseResourceAddress(text: string): Address | undefined {
  const [, kind, id, part] = /^foreword:\/\/([a-z]+)\/([^/?#]+)(?:\/([a-z]+))?$/.exec(text) ?? []
  if (kind === undefined || id === undefined) return undefined
  try {
    return { kind, id: decodeURIComponent(id), part }
  } catch {
    return undefined
  }
}

interface Address {
  readonly kind: string
  readonly id: string
  readonly part: string | undefined
}
