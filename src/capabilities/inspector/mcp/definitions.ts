import type { Tool } from '@modelcontextprotocol/server'
import { costGroups, type McpDefinitions } from '../../../capability.ts'
import { envelopeSchema } from '../../../server/mcp.ts'

/** The address of the view, for hosts that show MCP Apps. */
export const viewAddress = 'ui://foreword/inspector'

/** Tools that read the ledger. Clients send name, description and input with every call of a model: they are short. */
export const contextOfCall = definition({
  name: 'context_of_call',
  title: 'Context of a call',
  description:
    'What Foreword sent in one call to a model: every piece with its tokens, its cost, and why it was left out.',
  properties: {
    call: { type: 'string', description: 'Its id, or last' },
    session: { type: 'string', description: 'last of this session' },
  },
  answer: {
    call: { type: 'string' },
    model: { type: 'string' },
    used: { type: 'integer' },
    entries: { type: 'array', items: { type: 'object' } },
    outline: { type: 'string' },
  },
})

export const explainLastCall = definition({
  name: 'explain_last_call',
  title: 'Explain the last call',
  description:
    'In sentences: what went into the newest call, what was left out and why, its cost, its cache, what changed.',
  properties: { session: { type: 'string' } },
  answer: {
    call: { type: 'string' },
    model: { type: 'string' },
    sentences: { type: 'array', items: { type: 'string' } },
  },
})

export const costsTool = definition({
  name: 'costs',
  title: 'Costs',
  description: 'What calls cost, US dollars, in groups.',
  properties: {
    by: { type: 'string', description: `One of ${costGroups.join(', ')}; day unless given` },
    since: { type: 'string', description: 'ISO 8601; 30 days ago unless given' },
    session: { type: 'string' },
  },
  answer: {
    by: { type: 'string' },
    since: { type: 'string' },
    total: { type: 'object' },
    rows: { type: 'array', items: { type: 'object' } },
  },
})

/** What is added to the MCP server. Known without a home. */
export const inspectorDefinitions: McpDefinitions = { tools: [contextOfCall, costsTool, explainLastCall] }

function definition({
  name,
  title,
  description,
  properties,
  answer,
}: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly properties: NonNullable<Tool['inputSchema']['properties']>
  readonly answer: Readonly<Record<string, object>>
}): Tool {
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, additionalProperties: false },
    outputSchema: envelopeSchema({ type: 'object', properties: answer, required: Object.keys(answer) }),
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    _meta: { ui: { resourceUri: viewAddress } },
  }
}
