import type { Tool } from '@modelcontextprotocol/server'
import { envelopeSchema } from './envelope.ts'

/** Where the whole format of a scenario can be read. */
export const scenarioAddress = 'foreword://schema/scenario'

/**
 * In short: every call of a client pays for this text. The handler checks a scenario against its whole schema, and
 * names what is wrong.
 */
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
