import { isDeepStrictEqual } from 'node:util'
import { inspectorContribution } from '../../src/capabilities/inspector/mcp/inspector-contribution.ts'
import { requestSizeCommand } from '../../src/capabilities/telegram/commands.ts'
import { fetchSessionView } from '../../src/capabilities/wrapped-agents/session-view.ts'
import {
  callPrice,
  type CostReport,
  exactMoneyText,
  type GatewayConnection,
  type UsageReport,
  RuntimeError,
} from '../../src/capability.ts'
import { calibratedManifest, type CallFigures, type Manifest } from '../../src/context.ts'
import { defined } from '../../src/platform.ts'
import { type HostedRuntime, type Preview } from '../../src/runtime.ts'
import { createServer, hostedOptions } from '../../src/server.ts'
import { type CallRecord, figuresOfCall, usedTokens } from '../../src/session.ts'
import { sharedCallHtml } from '../../web/src/inspector/share-html.ts'
import { run } from '../cli/recorded-io.ts'
import type { WholeSession } from './laws.ts'
import { person } from './people.ts'
import { scriptedBehaviour } from './providers.ts'
import { type Random, randomOf } from './random.ts'
import { type Ending, liveIn, type World } from './story.ts'
import { costsOf } from '../costs-of.ts'

/**
 * Lives a story of one person with all kinds of models, and with providers that report much, little or nothing of what a
 * call used. Then every figure of every surface is compared with those of the runtime.
 */
export function liveFigures(seed: number): Promise<Ending> {
  const random = randomOf(`figures ${seed}`)
  const reports = random.fork('reports')
  const answer = scriptedBehaviour(random.fork('provider'))
  return liveIn(
    random,
    () => ({
      budgets: random.pick([[], [], [{ limit: { usd: 0.4 }, per: 'day' }]]),
      slowestDisk: 0,
      configure: (configuration) => withModels(random.fork('models'), configuration),
      answer(request) {
        const given = answer(request)
        const usage = reported(reports, Math.ceil(request.bytes.byteLength / 4))
        return { ...given, answer: { ...defined({ usage }), ...given.answer } }
      },
      look: differingFigures,
    }),
    ({ gateway, time, told, note }: World) =>
      person(
        { gateway, time, random: random.fork('Ann'), told, name: 'Ann', sessions: [], trace: note, patient: true },
        4 + random.below(8),
      ),
  )
}

function withModels(random: Random, configuration: object): object {
  const price = random.pick([
    { input: 10, output: 30 },
    { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
    { input: 1 / 3, cachedInput: 0.1 / 3, output: 7 / 9 },
  ])
  const cache = { kind: 'marked', minimumTokens: 0, lifetimeSeconds: random.pick([300, 3_600]) }
  return {
    ...configuration,
    model: random.pick([
      'main/scripted',
      'main/scripted',
      'other/scripted',
      'other/scripted',
      'third/scripted',
      'rehearsal',
    ]),
    models: {
      'main/scripted': { window: random.pick([3_000, 4_096, 16_384]), ...(random.chance(0.7) && { price }) },
      'other/scripted': { window: random.pick([4_096, 20_000]), price, ...(random.chance(0.7) && { cache }) },
      'third/scripted': { window: 8_192 },
      rehearsal: { window: random.pick([4_096, 16_384]) },
    },
    context: { timeZone: 'Europe/Berlin', notes: random.pick(['off', 'index', 'model']) },
  }
}

/** What a provider reports of a prompt of about this many tokens. `undefined`: what the scripted one does by itself. */
function reported(random: Random, about: number) {
  const promptTokens = Math.round(about * (0.8 + random.fraction() / 2))
  const cachedTokens = random.below(promptTokens)
  const outputTokens = random.below(300)
  return random.pick([
    undefined,
    'silent' as const,
    { promptTokens, outputTokens },
    { promptTokens, cachedTokens, outputTokens },
    { promptTokens, cachedTokens: 0, outputTokens },
    { promptTokens, cachedTokens, cacheWrittenTokens: random.below(promptTokens - cachedTokens + 1), outputTokens },
    { promptTokens },
    { outputTokens },
  ])
}

/** Everything that shows figures of one runtime. */
interface Surfaces {
  readonly runtime: HostedRuntime
  readonly connection: GatewayConnection
  http<Answer>(path: string, body?: object): Promise<Answer>
  /** The lines of JSON that a command prints. */
  command<Line>(...words: readonly string[]): Promise<readonly Line[]>
  mcp<Data>(tool: string, input: Readonly<Record<string, unknown>>): Promise<Data>
  /** Notes a difference between what a place shows and what it should show. */
  same(place: string, shown: unknown, expected: unknown): void
}

async function* differingFigures(runtime: HostedRuntime, sessions: readonly WholeSession[]): AsyncGenerator<string> {
  const differences: string[] = []
  const surfaces = await openSurfaces(runtime, (place, shown, expected) => {
    const [one, other] = [plain(shown), plain(expected)]
    if (!isDeepStrictEqual(one, other))
      differences.push(`${place} shows ${JSON.stringify(one)} in place of ${JSON.stringify(other)}`)
  })
  for (const session of sessions) {
    await compareNext(surfaces, session)
    await compareCalls(surfaces, session)
  }
  await compareSums(surfaces, sessions)
  yield* differences
}

async function openSurfaces(runtime: HostedRuntime, same: Surfaces['same']): Promise<Surfaces> {
  const server = createServer(runtime, { ...(await hostedOptions(runtime)), bind: '127.0.0.1', version: '0' })
  const connection: GatewayConnection = {
    fetch: (path, init) => server.fetch(new Request(`http://127.0.0.1${path}`, init)),
    close: async () => {},
    inProcess: true,
  }
  const time = () => runtime.store.clock.time()
  const { tools = [] } = inspectorContribution({ runtime, timeZone: 'UTC', time })
  return {
    runtime,
    connection,
    same,
    async http<Answer>(path: string, body?: object) {
      const headers = { 'content-type': 'application/json' }
      const sent = body && { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await connection.fetch(path, sent)
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
      return (await response.json()) as Answer
    },
    async command<Line>(...words: readonly string[]) {
      const { code, stdout, stderr } = await run([...words, '--json'], { connection })
      if (code !== 0) throw new Error(`foreword ${words.join(' ')}: ${stderr}`)
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
    },
    async mcp<Data>(name: string, input: Readonly<Record<string, unknown>>) {
      const tool = tools.find(({ definition }) => definition.name === name)!
      const { structuredContent } = await tool.call(input, undefined as never)
      return (structuredContent as { readonly data: Data }).data
    },
  }
}

async function compareNext(surfaces: Surfaces, { row }: WholeSession): Promise<void> {
  const { runtime, http, command, same } = surfaces
  const session = row.id
  const preview = await runtime.preview({ session }).catch((error: unknown) => {
    if (error instanceof RuntimeError && error.code === 'context-overflow') return undefined
    throw error
  })
  if (!preview) return
  const { figures, manifest: counted } = preview
  const place = (name: string) => `${name} of the next call of ${session} (${preview.model})`
  checkParts(surfaces, place('the preview'), figures)
  checkAccount(surfaces, place('the account'), counted, figures)
  for (const [name, shown] of [
    ['GET /api/context', await http<Preview>(`/api/context?session=${session}`)],
    ['POST /api/context', await http<Preview>('/api/context', { session })],
    ['what-if without changes', await http<Preview>('/api/context', { session, changes: {} })],
    ['foreword context', (await command<Preview>('context', session))[0]!],
  ] as const)
    same(place(name), [shown.figures, shown.cost], [figures, preview.cost])
  const told = await requestSizeCommand.run({
    runtime: { ...runtime, sessionFor: async () => session },
    binding: { channel: 'telegram', conversation: '1' },
    argument: undefined,
  })
  same(place('Telegram'), numberAfter(told, 'Used: '), figures.total)
  const { text } = await http<{ readonly text: string }>('/api/commands/context', { session })
  same(place('/context'), numberAfter(text, 'used '), figures.total)
}

async function compareCalls(surfaces: Surfaces, { row, calls }: WholeSession): Promise<void> {
  const { runtime, connection, http, command, mcp, same } = surfaces
  const session = row.id
  const { calls: listed } = await http<{ calls: readonly ListedCall[] }>(`/api/sessions/${session}/calls?limit=1000`)
  const { calls: everywhere } = await http<{ calls: readonly ListedCall[] }>('/api/calls?limit=1000')
  const printed = await command<ListedCall>('calls', session)
  let known = 0
  for (const record of calls) {
    const { id } = record
    const place = (name: string) => `${name} of ${id} (${record.model})`
    const paid = await callPrice(runtime, record)
    known += paid?.money ?? 0
    const figures = figuresOfCall(record, paid)
    checkParts(surfaces, place('the call'), figures)
    checkReported(surfaces, place('the call'), figures, record)
    checkAccount(surfaces, place('the account'), record.manifest, figures)
    const { parts: _, ...brief } = figures
    for (const [name, list] of [
      ['the list', listed],
      ['the list of all', everywhere],
      ['foreword calls', printed],
    ] as const) {
      const shown = list.find((call) => call.id === id)
      same(place(name), [shown?.figures, shown?.cost], [brief, paid?.money])
    }
    for (const [name, shown] of [
      ['GET /api/calls/ID', await http<ListedCall>(`/api/calls/${id}`)],
      ['the manifest', await http<ListedCall>(`/api/calls/${id}/manifest`)],
      ['foreword calls CALL', (await command<ListedCall>('calls', session, id))[0]],
      ['context_of_call', await mcp<ListedCall>('context_of_call', { call: id })],
    ] as const)
      same(place(name), shown?.figures, figures)
    const inspected = await mcp<InspectedCall>('context_of_call', { call: id })
    same(place('context_of_call'), [inspected.used, inspected.cost?.usd], [figures.total, paid?.money])
    if (inspected.entries_not_shown === undefined)
      same(
        place('the entries of context_of_call'),
        sum(inspected.entries.map(({ tokens }) => tokens)),
        record.manifest.used === 0 ? 0 : figures.total,
      )
    const manifest = calibratedManifest(record.manifest, figures.total)
    const about = { id, time: record.time, model: record.model, manifest, figures, digest: record.requestDigest }
    const html = sharedCallHtml({ ...about, texts: new Map(), titles: new Map() })
    for (const [, kind, , value] of html.matchAll(/data-figure="(\w+)" data-call="([^"]+)" data-value="([^"]*)"/g))
      same(place(`${kind} in the shared file`), value, String(figures[kind as 'total']))
  }
  const view = await fetchSessionView(connection, session)
  const newest = calls.findLast(({ kind }) => kind !== 'note')
  if (newest) {
    const figures = figuresOfCall(newest, await callPrice(runtime, newest))
    same(
      `watch of ${session}`,
      [view.used, sum(view.slots.map(([, tokens]) => tokens))],
      [figures.total, newest.manifest.used === 0 ? 0 : figures.total],
    )
  }
  const cut = printed.findLast(({ kind, cutRecord }) => kind !== 'note' && cutRecord)
  if (cut) {
    const { stdout } = await run(['calls', session, cut.id], { connection })
    same(`whether the cut of ${cut.id} is told as in watch: ${view.lastCut}`, stdout.includes(view.lastCut!), true)
  }
  const explained = await mcp<{ readonly sentences: readonly string[] }>('explain_last_call', { session })
  if (newest) {
    const figures = figuresOfCall(newest, await callPrice(runtime, newest))
    const text = explained.sentences.join(' ')
    if (newest.manifest.used > 0) same(`explain of ${newest.id}`, numberAfter(text, 'Its prompt has '), figures.total)
    const cost = figures.money === undefined ? 'Its cost is not known' : `It cost ${exactMoneyText(figures.money)}`
    same(
      `whether explain of ${newest.id} says: ${cost}`,
      text.includes(cost) || text.includes('It cost nothing.'),
      true,
    )
  }
  same(`the sum of watch of ${session}`, inNanos(view.sums.cost), inNanos(known))
  const unreported = calls.filter(({ outcome }) => usedTokens(outcome)?.cachedTokens !== undefined).length === 0
  same(`what of ${session} came from a cache in watch`, view.sums.cachedTokens === undefined, unreported)
}

/** Money and tokens of calls add up to those of sessions, models and days. */
async function compareSums(surfaces: Surfaces, sessions: readonly WholeSession[]): Promise<void> {
  const { runtime, http, command, mcp, same } = surfaces
  const outside = (await runtime.store.findCalls({ limit: 1_000 })).filter(({ session }) => session === undefined)
  const groups = [...sessions.map(({ row, calls }) => [row.id, calls] as const), [null, outside] as const]
  const costs = new Map<string, CostReport>()
  const usages = new Map<string, UsageReport>()
  for (const by of ['session', 'model', 'day'] as const) {
    costs.set(by, await http<CostReport>(`/api/costs?by=${by}&limit=1000`))
    usages.set(by, await http<UsageReport>(`/api/usage?by=${by}&limit=1000`))
    same(`foreword costs by ${by}`, (await command('costs', '--by', by))[0], costs.get(by))
    same(`foreword usage by ${by}`, (await command('usage', '--by', by))[0], usages.get(by))
    const told = await mcp<ToldCosts>('costs', { by, since: '2000-01-01' })
    const { total, rows } = costs.get(by)!
    const told$ = [told.total.usd, ...told.rows.map(({ key, usd }) => [key, usd])]
    same(`costs of MCP by ${by}`, told$, [
      total.nanoDollars / 1e9,
      ...rows.map(({ key, nanoDollars }) => [key, nanoDollars / 1e9]),
    ])
    same(`the rows by ${by}`, sum(rows.map(({ nanoDollars }) => nanoDollars)), total.nanoDollars)
    const used = usages.get(by)!
    const both = [used.total, ...used.rows] as UsageReport['total'][]
    for (const { prompt, fresh, cached, written, undivided } of both)
      same(`the parts by ${by}`, fresh + cached + written + undivided, prompt)
  }
  let whole = 0
  for (const [session, calls] of groups) {
    const paid = await Promise.all(calls.map((call) => callPrice(runtime, call)))
    const figures = calls
      .map((call, index) => figuresOfCall(call, paid[index]))
      .filter(({ basis }) => basis === 'reported')
    const nano = sum(paid.map((price) => inNanos(price?.money ?? 0)))
    whole += nano
    const cost = costs.get('session')!.rows.find(({ key }) => key === session)
    same(`the cost of ${session}`, cost?.nanoDollars ?? 0, nano)
    same(`the calls of ${session} without a price`, cost?.unpriced ?? 0, paid.filter((price) => !price).length)
    const used = usages.get('session')!.rows.find(({ key }) => key === session) as UsageReport['total'] | undefined
    same(
      `the usage of ${session}`,
      used && [used.prompt, used.cached, used.written, used.fresh],
      calls.length === 0
        ? undefined
        : [
            sum(figures.map(({ total }) => total)),
            ...(['cached', 'written', 'fresh'] as const).map((part) => sum(figures.map((each) => each[part] ?? 0))),
          ],
    )
    same(`the money in the usage of ${session}`, used?.money, cost?.money)
    if (session === null) continue
    const { text } = await http<{ readonly text: string }>('/api/commands/cost', { session, argument: '' })
    if (calls.length > 0)
      same(`/cost of ${session}`, numberAfter(text, 'calls?: '), sum(figures.map(({ total }) => total)))
    const sums = (await costsOf(runtime).sessionCosts([session])).get(session)
    same(`the cost of ${session} in Telegram`, sums?.nanoDollars, nano)
    if (cost)
      same(
        `the money of ${session} by call`,
        Object.fromEntries(
          (await http<CostReport>(`/api/costs?by=call&session=${session}`)).rows.map((row) => [
            row.key,
            row.nanoDollars,
          ]),
        ),
        Object.fromEntries(calls.map(({ id }, index) => [id, inNanos(paid[index]?.money ?? 0)])),
      )
  }
  for (const by of ['session', 'model', 'day']) {
    same(`the total by ${by}`, costs.get(by)!.total.nanoDollars, whole)
    same(`the money of the usage by ${by}`, usages.get(by)!.total.money, costs.get(by)!.total.money)
  }
}

interface ListedCall {
  readonly id: string
  readonly figures: CallFigures
  readonly cost?: number
  readonly kind?: string
  readonly cutRecord?: object
}

interface InspectedCall {
  readonly used: number
  readonly entries: readonly { readonly tokens: number }[]
  readonly entries_not_shown?: number
  readonly cost?: { readonly usd: number }
}

interface ToldCosts {
  readonly total: { readonly usd: number }
  readonly rows: readonly { readonly key: string | null; readonly usd: number }[]
}

/** Where parts are known they are the whole, and so do the parts of the money. */
function checkParts({ same }: Surfaces, place: string, figures: CallFigures): void {
  const { total, cached, written, fresh, money, parts, window } = figures
  const known = [cached, written, fresh].filter((part) => part !== undefined)
  if (known.length > 0) same(`the parts in ${place}`, [known.length, sum(known)], [3, total])
  const all = [total, window, ...known, figures.same ?? 0, money ?? 0]
  same(
    `whether ${place} has a figure below 0`,
    all.some((figure) => !(figure >= 0)),
    false,
  )
  if (money !== undefined && parts)
    same(`the money of the parts in ${place}`, inNanos(sum(Object.values(parts))), inNanos(money))
}

/** What was reported is what is shown, and what was not is absent. */
function checkReported({ same }: Surfaces, place: string, figures: CallFigures, { outcome }: CallRecord): void {
  const { promptTokens, cachedTokens } = usedTokens(outcome) ?? {}
  same(`whether ${place} is reported`, figures.basis === 'reported', promptTokens !== undefined)
  if (promptTokens === undefined) return
  same(`the prompt of ${place}`, figures.total, promptTokens)
  same(`what of ${place} came from the cache`, figures.cached, cachedTokens)
}

/** The account in the tokens of its provider adds up to the prompt, by entries and by slots. */
function checkAccount({ same }: Surfaces, place: string, counted: Manifest, { total }: CallFigures): void {
  if (counted.used === 0) return
  const { used, entries, slots } = calibratedManifest(counted, total)
  const shown = [used, sum(entries.map(({ tokens }) => tokens)), sum(Object.values(slots))]
  same(place, shown, [total, total, total])
}

function numberAfter(text: string, words: string): number {
  const [, digits = ''] = new RegExp(`${words}([\\d,]+)`).exec(text) ?? []
  return Number(digits.replaceAll(',', ''))
}

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
const inNanos = (dollars: number): number => Math.round(dollars * 1e9)
