import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type Price } from '../../src/model.ts'
import { callCost } from '../../src/context.ts'
import type { SealedManifest } from '../../src/runtime/calls/seal.ts'
import { type ScriptedAnswer, scriptedProvider } from '../../src/testing.ts'
import { simulatedCache, type SimulatedRule, simulatedRules } from '../kit/simulated-cache.ts'
import { runsAllCases } from '../arbitrary/some-cases.ts'
import { type OpenedHome, openedHome } from '../home/opened-home.ts'

const lines = (count: number, what: string) =>
  Array.from({ length: count }, (_, index) => `- ${what} ${index + 1}: ask before you write a file.`).join('\n')
const instructions = `# Rules\n\n${lines(60, 'rule')}\n`
const skill = (name: string, says: string) => `---\nname: ${name}\ndescription: ${says}\n---\n\n${lines(10, name)}\n`
const access = (...allowedTools: readonly string[]) => JSON.stringify({ global: { allowedTools } })

/** Texts of several kinds: what a person says, and what files have. */
const KINDS = [
  (n: number) => `In part ${n} the ferry leaves before the tide turns, and nobody on the pier expects it back. `,
  (n: number) => `export function tide${n}(hours: readonly number[]) {\n  return hours.map((hour) => hour * ${n})\n}\n`,
  (n: number) => `{"station": ${n}, "levels": [{"at": "0${n % 10}:30", "metres": 3.${n}}], "open": true}\n`,
  (n: number) => `第${n}港の潮位は午前に高く、船は正午まで待ちます。`,
]
const text = (n: number, times: number) =>
  Array.from({ length: times }, (_, index) => KINDS[n % KINDS.length]!(n + index)).join('')

interface Provider {
  readonly name: string
  readonly rule: SimulatedRule
  readonly connection: object
  readonly model: string
  readonly other: string
  /** Longer than anything is cached, seconds. */
  readonly pause: number
  /** The largest share of a prompt that it may read from the cache behind the forecast. */
  readonly reads: number
  /** The least that it reads from the cache, tokens: what is estimated at a little less may be read. */
  readonly least?: number
  /** It forgets nothing, which is not known of it: after a pause nothing is forecast, and more may be read. */
  readonly forgetsNothing?: true
  readonly prices?: Price
}

const leastOfClaude = (model: string) => (model.includes('haiku') ? 4096 : 1024)
const local: Price = { input: 1, cachedInput: 0.1, output: 4 }

const providers: readonly Provider[] = [
  {
    name: 'OpenAI with steps',
    rule: simulatedRules.openai,
    connection: { kind: 'openai', api: 'responses', apiKeyEnv: 'OPENAI_API_KEY' },
    model: 'gpt-5.4',
    other: 'gpt-5.1',
    pause: 400,
    reads: 0.05,
    least: 1024,
  },
  {
    name: 'OpenAI with marks',
    rule: simulatedRules.openaiMarks,
    connection: { kind: 'openai', api: 'responses', apiKeyEnv: 'OPENAI_API_KEY' },
    model: 'gpt-5.6-terra',
    other: 'gpt-6-sol',
    pause: 2000,
    reads: 0.02,
  },
  {
    name: 'Anthropic',
    rule: simulatedRules.anthropic(leastOfClaude),
    connection: { kind: 'anthropic', apiKeyEnv: 'OPENAI_API_KEY' },
    model: 'claude-sonnet-5',
    other: 'claude-haiku-4-5',
    pause: 4000,
    reads: 0.02,
  },
  {
    name: 'an engine with four slots',
    rule: simulatedRules.engine(4),
    connection: { kind: 'openai-compatible' },
    model: 'local',
    other: 'second',
    pause: 90_000,
    reads: 0.15,
    forgetsNothing: true,
    prices: local,
  },
]

/** A conversation with a provider whose cache is simulated. */
async function begun(t: TestContext, { rule, connection, model, other, prices }: Provider, notes: 'index' | 'model') {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-05T10:00:00.000Z') })
  const cache = simulatedCache({ rule, now: () => Date.now() })
  let call = 0
  const provider = await scriptedProvider({
    cache,
    models: [model, other].map((name) => ({ name, contextLength: 24_000, ownedBy: 'llamacpp' })),
    answer: (request): ScriptedAnswer => {
      call += 1
      // Each call of a turn may ask for another file.
      const body = JSON.stringify(request.body['messages'] ?? request.body['input'])
      const turn = body.slice(body.lastIndexOf(', steps: '))
      const done = turn.split('"read_file"').length - 1
      if (done >= Number(turn.charAt(', steps: '.length))) return { text: text(call, 6) }
      return { text: 'Let me see.', toolCalls: [{ name: 'read_file', input: { path: `files/${call % 8}.md` } }] }
    },
  })
  t.after(() => provider.close())
  const files = {
    'workspace/AGENTS.md': instructions,
    'skills/tides/SKILL.md': skill('tides', 'Reads the tide tables.'),
    'tool-access.json': access('read_file', 'search_files'),
    ...Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`workspace/files/${n}.md`, text(n, 30)])),
  }
  const facts = { window: 24_000, tools: true, ...(prices && { price: prices }) }
  const configuration = {
    model: `own/${model}`,
    models: { [`own/${model}`]: facts, [`own/${other}`]: facts },
    providers: { own: { ...connection, baseURL: `${provider.url}/v1` } },
    context: { timeZone: 'UTC', notes },
  }
  let home = await openedHome(t, files, configuration)
  await home.accept()
  let session: string | undefined
  return {
    cache,
    get home() {
      return home
    },
    get session() {
      return session ?? assert.fail()
    },
    async restart() {
      home = await home.reopened(configuration)
    },
    /** Says something, and returns the first call of the turn. Waits for the calls that its end has begun. */
    async say(says: string) {
      const said = await home.say(says, session)
      session = said.session
      await home.runtime.idle(session)
      return said.entries.find((entry) => entry.type === 'assembly')?.call ?? assert.fail()
    },
    calls: async () => home.runtime.store.calls(session ?? assert.fail()),
  }
}

type Begun = Awaited<ReturnType<typeof begun>>

async function edited(home: OpenedHome, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) home.write(path, content)
  await home.runtime.reload()
  await home.accept()
}

const DAY = 86_400_000

const minutes = (t: TestContext, count: number) => t.mock.timers.setTime(Date.now() + count * 60_000)

const PAUSE = 'a pause longer than the cache'

/** What happens before a turn, by its number. */
const events: Readonly<
  Record<number, readonly [name: string, happens: (at: Begun, t: TestContext, provider: Provider) => unknown]>
> = {
  6: ['a skill edited', ({ home }) => edited(home, { 'skills/tides/SKILL.md': skill('tides', 'Reads the moon.') })],
  9: ['a skill added', ({ home }) => edited(home, { 'skills/charts/SKILL.md': skill('charts', 'Draws charts.') })],
  12: [
    'a tool allowed',
    ({ home }) => edited(home, { 'tool-access.json': access('read_file', 'search_files', 'list_files') }),
  ],
  15: [
    'AGENTS.md edited',
    ({ home }) => edited(home, { 'workspace/AGENTS.md': instructions.replace('rule 7:', 'rule 7: (in the morning)') }),
  ],
  18: ['a restart', (at) => at.restart()],
  21: [PAUSE, (_, t, { pause }) => minutes(t, pause / 60)],
  24: ['another model', ({ home, session }, _, { other }) => home.runtime.setModel(session, `own/${other}`)],
  27: ['the first model again', ({ home, session }, _, { model }) => home.runtime.setModel(session, `own/${model}`)],
  30: ['late in the evening', (_, t) => t.mock.timers.setTime(Math.ceil(Date.now() / DAY) * DAY - 45_000)],
  31: ['midnight', () => undefined],
  33: [
    'an agent chosen',
    async ({ home, session }) => {
      const { id } = await home.runtime.agents.create({
        name: 'Poet',
        prompt: `You are a poet.\n${lines(60, 'verse')}`,
      })
      await home.runtime.setAgent(session, id)
    },
  ],
  36: [
    'a project chosen',
    async ({ home, session }) => {
      const { id } = await home.runtime.projects.create({ name: 'Harbour', instructions: `Maps.\n${lines(60, 'map')}` })
      await home.runtime.setProject(session, id)
    },
  ],
}

const TURNS = 45
/** After so many turns several notes were written. */
const TURNS_WITH_NOTES = runsAllCases ? TURNS : 25

interface BilledCall {
  readonly event: string | undefined
  readonly hasCut: boolean
  readonly isNote: boolean
  readonly prompt: number
  /** Tokens from the cache: as forecast, and as reported. */
  readonly cached: readonly [forecast: number, reported: number]
  readonly money: readonly [forecast: number, paid: number]
  /** Whether the prompt is as long as the forecast said that nine in ten are. */
  readonly isInside: boolean
  /** The width of that, as a share of the prompt. */
  readonly width: number
}

/** Has the whole conversation, and returns its calls with what was forecast and what was paid for their prompts. */
async function billed(
  t: TestContext,
  provider: Provider,
  notes: 'index' | 'model',
  turns: number,
): Promise<readonly BilledCall[]> {
  const at = await begun(t, provider, notes)
  const happened = new Map<string, string>()
  for (let turn = 1; turn <= turns; turn += 1) {
    const event = events[turn]
    await event?.[1](at, t, provider)
    t.mock.timers.setTime(Date.now() + 40_000)
    const first = await at.say(`Turn ${turn}, steps: ${turn % 4}. ${text(turn, 4)}`)
    if (event) happened.set(first, event[0])
  }
  // A note that the next event cancels before it is sent is not billed.
  const calls = (await at.calls()).filter(({ outcome }) => outcome?.error?.code !== 'cancelled')
  const models = await at.home.runtime.models()
  const reported = calls.reduce((sum, { outcome }) => sum + (outcome?.usage?.promptTokens ?? 0), 0)
  assert.equal(
    reported,
    at.cache.reports.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
  )
  return calls.map(({ id, kind, model, manifest, outcome }) => {
    const { forecast, cutRecord } = manifest as SealedManifest
    const price = models.find((listed) => listed.id === model)?.facts?.price ?? assert.fail(model)
    const usage = outcome?.usage ?? assert.fail(id)
    return {
      event: happened.get(id),
      hasCut: cutRecord !== undefined,
      isNote: kind === 'note',
      prompt: usage.promptTokens!,
      cached: [forecast!.cached, usage.cachedTokens!],
      isInside: usage.promptTokens! >= forecast!.between![0] && usage.promptTokens! <= forecast!.between![1],
      width: (forecast!.between![1] - forecast!.between![0]) / usage.promptTokens!,
      money: [forecast!.money!, callCost({ ...usage, outputTokens: 0 }, price)!],
    }
  })
}

function distance(calls: readonly BilledCall[]): number {
  const [expected, paid] = [0, 1].map((side) => calls.reduce((sum, { money }) => sum + money[side]!, 0))
  return expected! / paid! - 1
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`

for (const provider of providers) {
  test(`over 100 calls the forecasts are within 2 % of the bill: ${provider.name}`, async (t) => {
    const calls = await billed(t, provider, 'index', TURNS)
    assert.ok(calls.length >= 100, String(calls.length))
    t.diagnostic(`${calls.length} calls: ${percent(distance(calls))}`)
    assert.ok(Math.abs(distance(calls)) <= 0.02, percent(distance(calls)))
    const inside = calls.filter(({ isInside }) => isInside).length / calls.length
    const width = calls.reduce((sum, call) => sum + call.width, 0) / calls.length
    t.diagnostic(`${percent(inside)} inside ± ${percent(width / 2)}`)
    assert.ok(inside >= 0.9 && width < 0.06, `${percent(inside)} are inside, of ${percent(width)}`)
    const marked = calls.filter(({ event, hasCut }) => event !== undefined || hasCut)
    assert.ok(calls.filter(({ hasCut }) => hasCut).length >= 2)
    assert.equal(new Set(marked.map(({ event }) => event)).size, Object.keys(events).length + 1)
    for (const { event = 'a cut', prompt, cached, money } of marked) {
      t.diagnostic(`${event}: ${percent(money[0] / money[1] - 1)}, cached ${cached.join('/')} of ${prompt}`)
      // Within a changed piece a provider may go on reading where the forecast stops.
      assert.ok(cached[0] <= cached[1] + prompt * 0.01, `${event}: ${cached.join(' instead of ')}`)
      if (provider.forgetsNothing && event === PAUSE) continue
      const most = cached[0] === 0 ? Math.max(provider.least ?? 0, provider.reads * prompt) : provider.reads * prompt
      assert.ok(cached[1] - cached[0] <= most, `${event}: ${cached.join(' instead of ')}`)
    }
  })

  test(`calls for notes are forecast as they are billed: ${provider.name}`, async (t) => {
    const calls = await billed(t, provider, 'model', TURNS_WITH_NOTES)
    const written = calls.filter(({ isNote }) => isNote).length
    assert.ok(written >= 2, `${written} notes`)
    t.diagnostic(`${calls.length} calls: ${percent(distance(calls))}`)
    assert.ok(Math.abs(distance(calls)) <= 0.02, percent(distance(calls)))
  })
}
