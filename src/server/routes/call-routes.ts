import { defined } from '../../platform.ts'
import { z } from 'zod'
import { type Manifest, outline } from '../../context.ts'
import { callCosts, callPrice, type Route, jsonAnswer, route, type Runtime, RuntimeError } from '../../capability.ts'
import { type CallRecord, figuresOfCall } from '../../session.ts'
import { text } from '../answer.ts'
import { requireSession } from '../failure.ts'
import {
  historySchema,
  idPrefixSchema,
  limitSchema,
  manifestSchema,
  requestViewSchema,
  figuresSchema,
  scenarioAnswer,
} from '../schema.ts'

const callSummariesSchema = z.array(
  z.looseObject({
    id: z.string(),
    used: z.number(),
    cost: z
      .number()
      .optional()
      .describe('US dollars, by what the provider reported; absent where that or the price is not known.'),
    figures: figuresSchema,
  }),
)

const callRecord = z.looseObject({
  id: z.string(),
  time: z.string(),
  model: z.string(),
  manifest: manifestSchema,
  figures: figuresSchema,
})

const historyOf = { session: z.string().min(1).optional().describe('Absent: calls of all sessions.') }

/** The ledger: what each call sent, at what cost and why, and the proof that it can be rebuilt. */
export function callRoutes(runtime: Runtime): readonly Route[] {
  const { store } = runtime

  const existing = async (id: string): Promise<CallRecord> => {
    const record = await store.call(id)
    if (record !== undefined) return record
    throw new RuntimeError(
      'not-found',
      `No call has the id ${id}.`,
      { call: id },
      { hint: '`foreword calls SESSION` or GET /api/sessions/SESSION/calls lists the calls of a session.' },
    )
  }

  const summaries = async (calls: readonly CallRecord[]): Promise<readonly object[]> => {
    const costOf = await callCosts(runtime, calls)
    return calls.map((call) => {
      const money = costOf(call)
      const figures = figuresOfCall(call, money === undefined ? undefined : { money })
      return { ...(callSummary(call) as object), figures, ...defined({ cost: figures.money }) }
    })
  }

  return [
    route('GET /api/sessions/:session/calls', {
      scope: 'read',
      tag: 'calls',
      summary: 'Lists the calls of a session in the order in which they were made, without their manifests',
      description: 'The newest calls, those of them before `before`, or those that follow `after`.',
      query: z.strictObject({
        limit: limitSchema(100, 1000),
        after: z.string().optional().describe('Id of the last known call; empty: from the first one on.'),
        before: z.string().min(1).optional().describe('Id of the first known call.'),
      }),
      answers: () => jsonAnswer('Calls', { calls: callSummariesSchema }),
      handle: async ({ param, query }) => {
        const session = param('session')
        const { after, before, limit: most } = query
        const from = after === '' ? { limit: most } : { after: after!, limit: most }
        const calls = await store.calls(session, after === undefined ? { last: most, before } : from)
        if (calls.length === 0) await requireSession(store, session)
        return { calls: await summaries(calls) }
      },
    }),
    route('GET /api/calls', {
      scope: 'read',
      summary: 'Lists the calls of all sessions, newest first, without their manifests',
      description: 'The last of a page is `before` of the next one. `before` and `beginning` do not go together.',
      query: z.strictObject({
        limit: limitSchema(100, 1000),
        before: z.string().min(1).optional().describe('Id of the oldest known call: those that were made before it.'),
        beginning: idPrefixSchema,
      }),
      answers: () => jsonAnswer('Calls', { calls: callSummariesSchema }),
      handle: async ({ query }) => ({ calls: await summaries(await store.findCalls(query)) }),
    }),
    route('GET /api/calls/:call', {
      scope: 'read',
      summary: 'Reads the record of a call with its manifest',
      answers: () => jsonAnswer('The record', callRecord),
      handle: async ({ param }) => {
        const record = await existing(param('call'))
        return { ...record, figures: figuresOfCall(record, await callPrice(runtime, record)) }
      },
    }),
    route('GET /api/calls/:call/manifest', {
      scope: 'read',
      summary: 'Reads the manifest of a call, as JSON or as an outline for people',
      description:
        '`paid` is what the call cost by what its provider reported, in US dollars: its parts, what the cache saved, and the ' +
        'share of each entry. With `reported` the provider reported the money itself, and `listed` is what the price list ' +
        'says, where that differs. It is absent where the cost or the usage is not known.',
      query: z.strictObject({ format: z.enum(['json', 'outline']).default('json') }),
      answers: () => jsonAnswer('The manifest; with `format=outline` as text/plain', manifestSchema),
      handle: async ({ param, query }) => {
        const record = await existing(param('call'))
        if (query.format === 'outline') return text(`${outline(record.manifest)}\n`)
        const paid = await callPrice(runtime, record)
        return { ...(fullManifest(record) as object), figures: figuresOfCall(record, paid), ...defined({ paid }) }
      },
    }),
    route('GET /api/calls/:call/request', {
      scope: 'read',
      summary: 'Rebuilds the exact request of a call and compares it with its digest',
      query: z.strictObject({
        body: z.stringbool().default(false).describe('With the body for the provider, as text. It contains no key.'),
      }),
      answers: () =>
        jsonAnswer(
          'The request, and whether it is identical',
          z.looseObject({
            request: requestViewSchema,
            digest: z.string(),
            identical: z.boolean(),
            wire: z
              .looseObject({ state: z.enum(['identical', 'different', 'unknown']), expected: z.string() })
              .optional()
              .describe('The body that was sent to the provider, rebuilt and compared by its SHA-256.'),
            body: z.string().optional(),
          }),
        ),
      handle: ({ param, query }) => runtime.request(param('call'), query),
    }),
    route('GET /api/calls/:call/scenario', {
      scope: 'read',
      summary: 'The input of a call as a scenario, for `foreword assemble` and `foreword check`',
      query: z.strictObject({ history: historySchema }),
      answers: () => jsonAnswer('The scenario', scenarioAnswer),
      handle: ({ param, query }) => runtime.callScenario(param('call'), query.history),
    }),
    route('GET /api/layers', {
      scope: 'read',
      tag: 'calls',
      summary: 'Lists the layers of the newest calls: where each comes from, and the named sections of its text',
      query: z.strictObject({ ...historyOf, limit: limitSchema(200, 1000) }),
      answers: () =>
        jsonAnswer('The layers', {
          calls: z.number().describe('How many calls were looked at.'),
          sources: z.array(z.looseObject({ layer: z.string(), id: z.string(), parts: z.array(z.string()) })),
        }),
      handle: async ({ query }) => {
        if (query.session !== undefined) await requireSession(store, query.session)
        return await runtime.layerSources(defined(query))
      },
    }),
    route('GET /api/layers/:layer/history', {
      scope: 'read',
      tag: 'calls',
      summary: 'The versions of a layer, newest first, and the calls that read each of them',
      description:
        'A layer is named by its id or by the name that a layout places, such as `instructions`. `*` is every layer, for ' +
        'the history of what several come from.',
      query: z.strictObject({
        ...historyOf,
        limit: limitSchema(200, 1000),
        origin: z.string().min(1).optional().describe('Only layers that come from here, such as `agent/ID`.'),
        part: z.string().min(1).optional().describe('Only this section of the text: the NAME of a heading `## NAME`.'),
      }),
      answers: () =>
        jsonAnswer('The versions', {
          layer: z.string(),
          calls: z.number().describe('How many calls were looked at.'),
          versions: z.array(
            z.looseObject({
              id: z.string(),
              digest: z.string(),
              text: z.string(),
              readers: z.array(z.looseObject({ call: z.string(), time: z.string(), tokens: z.number() })),
            }),
          ),
        }),
      handle: async ({ param, query }) => {
        if (query.session !== undefined) await requireSession(store, query.session)
        return await runtime.layerHistory(param('layer'), defined(query))
      },
    }),
    route('GET /api/diff', {
      scope: 'read',
      tag: 'calls',
      summary:
        'Compares two calls: what was added, removed, moved or changed its form, and why the later one begins otherwise',
      query: z.strictObject({ before: z.string().min(1), after: z.string().min(1) }),
      answers: () =>
        jsonAnswer(
          'The comparison',
          z.looseObject({ why: z.string().describe('The cause of the first difference, as a sentence.') }),
        ),
      handle: ({ query }) => runtime.diff(query.before, query.after),
    }),
    route('GET /api/sessions/:session/replay', {
      scope: 'read',
      tag: 'calls',
      summary: 'Rebuilds every call of a session and reports how many are identical',
      answers: () =>
        jsonAnswer(
          'The count, and the calls that differ',
          z.looseObject({ session: z.string(), calls: z.number(), identical: z.number() }),
        ),
      handle: async ({ param }) => {
        const session = param('session')
        await requireSession(store, session)
        return await runtime.replay(session)
      },
    }),
  ]
}

/** The manifest of a call with what is known only afterwards: the body that was sent, and the usage that its provider reported. */
function fullManifest({ manifest: account, outcome }: CallRecord): unknown {
  const { wire, usage } = outcome ?? {}
  return { ...account, ...defined({ wire }), ...(usage ? { reported: usage } : {}) }
}

function callSummary({ manifest, input: _input, ...record }: CallRecord): unknown {
  // What the runtime added to the account when it sealed it.
  const sealed: Manifest & { readonly reuse?: unknown; readonly forecast?: unknown; readonly cutRecord?: unknown } =
    manifest
  const { used, budget, layout, cut, reuse, forecast, cutRecord } = sealed
  return { ...record, layout, used, available: budget.available, ...defined({ cut, reuse, forecast, cutRecord }) }
}
