import { readFile } from 'node:fs/promises'
import type { Tool } from '@modelcontextprotocol/server'
import {
  callPrice,
  costService,
  type McpContribution,
  type McpTool,
  type Runtime,
  type CostSums,
  RuntimeError,
  costGroups,
  type McpDefinitions,
} from '../../../capability.ts'
import { ForewordError, defined } from '../../../platform.ts'
import { failureEnvelope, successEnvelope, envelopeSchema } from '../../../server/mcp.ts'
import { inputFault, readToolInput } from '../../../tool.ts'
import { callContext, readLedgerCall } from '../call-context.ts'
import { explainCall } from '../explain-call.ts'

interface InspectorParts {
  readonly runtime: Runtime
  /** IANA name: a day of costs begins there. */
  readonly timeZone: string
  readonly time: () => string
}

type Input = Readonly<Record<string, string | undefined>>

/**
 * Tools that read the ledger, and their view. They give names, numbers and reasons, and no word of a message or of a
 * layer: a program that connects may hand their answers to a model of its own.
 */
export function inspectorContribution({ runtime, timeZone, time }: InspectorParts): McpContribution {
  return {
    tools: [
      readingTool(contextOfCall, async ({ call = 'last', session }) => {
        const { record } = await readLedgerCall(runtime.store, call, session)
        return callContext(record, await callPrice(runtime, record))
      }),
      readingTool(costsTool, ({ by, since, session }) =>
        costsSince(runtime, { by, since, session, timeZone, now: time() }),
      ),
      readingTool(explainLastCall, async ({ session }) => {
        const found = await readLedgerCall(runtime.store, 'last', session)
        return explainCall(found, await callPrice(runtime, found.record))
      }),
    ],
    resources: [
      {
        templates: [],
        // It is for hosts alone, which know it from the tools.
        list: async () => [],
        read: async (uri) =>
          uri === viewAddress
            ? {
                mimeType: 'text/html;profile=mcp-app',
                text: await readFile(new URL('../../../../assets/inspector.html', import.meta.url), 'utf8'),
              }
            : undefined,
      },
    ],
  }
}

function readingTool(definition: Tool, answer: (input: Input) => Promise<object>): McpTool {
  return {
    definition,
    async call(given) {
      const { inputSchema, name } = definition
      const read = await readToolInput(inputSchema, given, (input) =>
        inputFault(inputSchema, input, `the tool ${name}`),
      )
      if (read.fault !== undefined) return failureEnvelope('invalid-input', read.fault)
      try {
        return successEnvelope({ ...(await answer(read.input as Input)) })
      } catch (error) {
        if (!(error instanceof ForewordError) || !error.expose) throw error
        if (error.code !== 'not-found' && error.code !== 'invalid-input') throw error
        return failureEnvelope(error.code, [error.message, error.hint].filter(Boolean).join(' '))
      }
    },
  }
}

interface CostsQuestion {
  /** A group of costs; `day` where absent. */
  readonly by: string | undefined
  readonly since: string | undefined
  readonly session: string | undefined
  readonly timeZone: string
  readonly now: string
}

const DAYS = 30
const DAY_MS = 86_400_000
const MOST_ROWS = 50
const NANO = 1e9

/** Sessions have their ids and no titles: a title can be how its conversation begins. */
async function costsSince(runtime: Pick<Runtime, 'capability'>, asked: CostsQuestion): Promise<object> {
  const { by = 'day', timeZone: zone, session } = asked
  const from = startOf(asked)
  const service = runtime.capability(costService)
  if (!service) throw new RuntimeError('not-found', 'This gateway adds up no costs.')
  const { total, rows, rest } = await service.costs({ by, zone, from, limit: MOST_ROWS, ...defined({ session }) })
  return {
    by,
    since: from,
    zone,
    total: sums(total),
    rows: rows.map((row) => ({ key: row.key, ...sums(row) })),
    ...(rest && { rest: { rows: rest.rows, ...sums(rest) } }),
  }
}

function startOf({ since, now }: CostsQuestion): string {
  const at = since === undefined ? Date.parse(now) - DAYS * DAY_MS : Date.parse(since)
  if (Number.isFinite(at) && (since === undefined || /^\d{4}-\d{2}-\d{2}/.test(since)))
    return new Date(at).toISOString()
  throw new RuntimeError('invalid-input', 'since must be a date or a time in ISO 8601, such as 2026-11-01.')
}

function sums({ calls, waiting, unpriced, nanoDollars, savedNanoDollars: saved }: CostSums): object {
  return {
    calls,
    unpriced,
    usd: nanoDollars / NANO,
    ...defined({ waiting, saved_usd: saved === undefined ? undefined : saved / NANO }),
  }
}

/** The address of the view, for hosts that show MCP Apps. */
const viewAddress = 'ui://foreword/inspector'

/** Tools that read the ledger. Clients send name, description and input with every call of a model: they are short. */
const contextOfCall = toolDefinition({
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

const explainLastCall = toolDefinition({
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

const costsTool = toolDefinition({
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

function toolDefinition({
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
