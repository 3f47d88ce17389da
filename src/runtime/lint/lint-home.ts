import { costService, type LintedTool, type LintReport, type Runtime, type ToolUsageRow } from '../../capability.ts'
import {
  type Assembly,
  calibratedFinding,
  ContextOverflowError,
  lint,
  lintAnnounced,
  type LintCall,
  lintHead,
  type LintRates,
  lintRates,
  scenarioInput,
  toolCalls,
} from '../../context.ts'
import { defined, errorMessage, timeSlice } from '../../platform.ts'
import type { CallRecord, SessionStore } from '../../session.ts'
import type { CallInput } from '../calls/call-input.ts'
import { assembleInSlices, findCounter } from '../models/counters.ts'

const MOST_CALLS = 500

const THIRTY_DAYS_MS = 30 * 24 * 60 * 60 * 1000

export interface LintOptions {
  readonly tools?: readonly string[]
  readonly now: Date
}

/** Looks for what breaks caches or wastes room: in the next call, in the newest calls, and in the usage of 30 days. Reads only. */
export async function lintHome(
  runtime: Pick<Runtime, 'store' | 'nextScenario' | 'preview' | 'capability' | 'model' | 'tools'>,
  { tools: asked = [], now }: LintOptions,
): Promise<LintReport> {
  const from = new Date(now.getTime() - THIRTY_DAYS_MS).toISOString()
  const usage = await runtime.capability(costService)?.usage({ by: 'tool', from })
  const model = await runtime.model().catch(() => undefined)
  const price = model?.facts.price
  const rates = price && usage && lintRates(price, usage.total)
  const calls = await newestCalls(runtime.store)
  const next = await nextAssembly(runtime)
  const needed = new Set([
    ...next.readers,
    ...(await runtime.tools()).filter((tool) => tool.from === 'foreword').map(({ name }) => name),
  ])
  const findings = lint({
    counter: next.counter,
    calls: calls.map(({ call }) => call),
    tools: usage?.by === 'tool' ? usage.rows.filter(({ key }) => !needed.has(key)).map(toolUse) : [],
    ...defined({ assembly: next.assembly, rates: rates satisfies LintRates | undefined }),
  })
  const preview = await runtime.preview({}).catch(() => undefined)
  const prompt = preview ? { total: preview.figures.total, used: preview.manifest.used } : { total: 0, used: 0 }
  const month = usage?.by === 'tool' ? { total: usage.expected, used: usage.counted } : prompt
  return {
    calls: calls.length,
    findings: findings.map((finding) => calibratedFinding(finding, prompt, month)),
    tools: await usedTools(runtime.store, calls, asked),
    ...defined({ model: model?.id, rates, unread: next.unread }),
  }
}

function toolUse({ key, calls, definitions, results }: ToolUsageRow) {
  return { name: key, offered: calls, tokens: definitions, uses: results }
}

/** The first call of a new session. A request that does not fit, or that cannot be told, leaves the recorded calls. */
async function nextAssembly({ nextScenario, store }: Pick<Runtime, 'nextScenario' | 'store'>): Promise<{
  readonly counter: Awaited<ReturnType<typeof findCounter>>
  readonly assembly?: Assembly
  /** Tools without which a text that is sent would promise what cannot be read. */
  readonly readers: readonly string[]
  readonly unread?: string
}> {
  try {
    const scenario = await nextScenario({})
    const counter = await findCounter(scenario.counter)
    const assembly = await assembleInSlices(store.clock, scenarioInput(scenario, [counter]))
    const readers = scenario.tools.filter(({ reads, offeredWith }) => reads || offeredWith).map(({ name }) => name)
    if (assembly instanceof ContextOverflowError) return { counter, readers, unread: assembly.message }
    return { counter, readers, assembly }
  } catch (error) {
    return { counter: await findCounter('tokenx'), readers: [], unread: errorMessage(error) }
  }
}

interface Looked {
  readonly call: LintCall
  readonly session: string | undefined
  readonly turn: string | undefined
}

/** Oldest first, without what the lint does not need: accounts can be large. */
async function newestCalls(store: SessionStore): Promise<readonly Looked[]> {
  const records = await store.findCalls({ limit: MOST_CALLS })
  const work = timeSlice(store.clock)
  const calls: Looked[] = []
  for (const record of records) {
    calls.push({ call: lintCall(record), session: record.session, turn: record.turn })
    if (work.isOver()) await work.rest()
  }
  return calls.toReversed()
}

function lintCall({ id, session, turn, model, manifest, input }: CallRecord): LintCall {
  const { layout = manifest.layout } = input as Partial<CallInput>
  const facts = { id, model, layout: JSON.stringify(layout), used: manifest.used, head: lintHead(manifest) }
  return { ...facts, announced: lintAnnounced(manifest, turn), ...defined({ session, turn }) }
}

/** Texts of inputs that are longer name nothing. */
const LONGEST_INPUT = 200

async function usedTools(
  store: SessionStore,
  calls: readonly Looked[],
  asked: readonly string[],
): Promise<LintReport['tools']> {
  if (asked.length === 0) return {}
  const inputs = new Map(asked.map((name) => [name, new Set<string>()]))
  const offered = (name: string) =>
    calls.filter(({ call: { head } }) => head.some(({ id, slot }) => slot === 'tools' && id === name)).length
  const turns = new Map(
    calls.flatMap(({ session, turn }) => (session && turn ? [[`${session} ${turn}`, { session, turn }]] : [])),
  )
  const work = timeSlice(store.clock)
  for (const { session, turn } of turns.values()) {
    for (const entry of await store.entries(session, { turn, types: ['message'] })) {
      if (entry.type !== 'message') continue
      for (const { toolName, input } of toolCalls(entry.message)) {
        const known = inputs.get(toolName)
        if (known) for (const text of textsIn(input)) known.add(text)
      }
    }
    if (work.isOver()) await work.rest()
  }
  return Object.fromEntries(
    asked.map((name): [string, LintedTool] => [name, { offered: offered(name), inputs: [...inputs.get(name)!] }]),
  )
}

function textsIn(input: unknown): readonly string[] {
  if (typeof input !== 'object' || input === null) return []
  return Object.values(input).filter((value) => typeof value === 'string' && value.length <= LONGEST_INPUT)
}
