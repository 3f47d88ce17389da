import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { callCost, type Price } from '../../src/model.ts'
import {
  type ScriptedAnswer,
  scriptedProvider,
  simulatedCache,
  type SimulatedReport,
  type SimulatedRule,
  simulatedRules,
} from '../../src/testing.ts'
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
  },
  {
    name: 'OpenAI with marks',
    rule: simulatedRules.openaiMarks,
    connection: { kind: 'openai', api: 'responses', apiKeyEnv: 'OPENAI_API_KEY' },
    model: 'gpt-5.6-terra',
    other: 'gpt-6-sol',
    pause: 2000,
  },
  {
    name: 'Anthropic',
    rule: simulatedRules.anthropic(leastOfClaude),
    connection: { kind: 'anthropic', apiKeyEnv: 'OPENAI_API_KEY' },
    model: 'claude-sonnet-5',
    other: 'claude-haiku-4-5',
    pause: 4000,
  },
  {
    name: 'an engine with four slots',
    rule: simulatedRules.engine(4),
    connection: { kind: 'openai-compatible' },
    model: 'local',
    other: 'second',
    pause: 90_000,
    prices: local,
  },
]

/** A conversation with a provider whose cache is simulated. */
async function begun(t: TestContext, { rule, connection, model, other, prices }: Provider) {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-05T10:00:00.000Z') })
  const cache = simulatedCache({ rule, now: () => Date.now() })
  let call = 0
  const provider = await scriptedProvider({
    cache,
    models: [model, other].map((name) => ({ name, contextLength: 24_000, ownedBy: 'llamacpp' })),
    answer: (request): ScriptedAnswer => {
      call += 1
      const steps = Number(/steps: (\d)/.exec(request.newest)?.[1] ?? 0)
      const done = [...JSON.stringify(request.body['messages'] ?? request.body['input']).matchAll(/read_file/g)].length
      // Each call of a turn may ask for another file.
      if (steps > 0 && answered !== request.newest + steps) {
        asked += 1
        if (asked >= steps) [answered, asked] = [request.newest + steps, 0]
        return { text: 'Let me see.', toolCalls: [{ name: 'read_file', input: { path: `files/${(call + done) % 8}.md` } }] }
      }
      return { text: text(call, 6) }
    },
  })
  let answered = ''
  let asked = 0
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
    context: { timeZone: 'UTC', notes: 'index' },
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
    async say(says: string) {
      session = (await home.say(says, session)).session
    },
  }
}

type Begun = Awaited<ReturnType<typeof begun>>

async function edited(home: OpenedHome, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) home.write(path, content)
  await home.runtime.reload()
  await home.accept()
}

const minutes = (t: TestContext, count: number) => t.mock.timers.setTime(Date.now() + count * 60_000)

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
  21: ['a pause longer than the cache', (_, t, { pause }) => minutes(t, pause / 60)],
  24: ['another model', ({ home, session }, _, { other }) => home.runtime.setModel(session, `own/${other}`)],
  27: ['the first model again', ({ home, session }, _, { model }) => home.runtime.setModel(session, `own/${model}`)],
  30: [
    'midnight',
    async (_, t) => t.mock.timers.setTime(Date.parse(`${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T00:00:10.000Z`)),
  ],
  33: [
    'an agent chosen',
    async ({ home, session }) => {
      const { id } = await home.runtime.agents.create({ name: 'Poet', prompt: `You are a poet.\n${lines(60, 'verse')}` })
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

for (const provider of providers) {
  test(`over 100 calls the forecasts are within 2 % of the bill: ${provider.name}`, async (t) => {
    const at = await begun(t, provider)
    const happened: (readonly [from: number, name: string])[] = []
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const event = events[turn]
      if (event) {
        await event[1](at, t, provider)
        happened.push([at.cache.reports.length, event[0]])
      }
      t.mock.timers.setTime(Date.now() + 40_000)
      await at.say(`Turn ${turn}, steps: ${turn % 4}. ${text(turn, 4)}`)
    }
    const calls = await at.home.runtime.store.calls(at.session)
    const { reports } = at.cache
    assert.ok(reports.length >= 100, String(reports.length))
    assert.equal(calls.length, reports.length)
    const models = await at.home.runtime.models()
    const rows = calls.map(({ model, manifest }, index) => {
      const price = models.find(({ id }) => id === model)?.facts?.price ?? assert.fail(model)
      return { forecast: manifest.forecast, money: manifest.forecast!.money!, paid: promptBill(reports[index]!, price), cut: manifest.cutRecord, report: reports[index]! }
    })
    if (process.env['SHOW']) {
      for (const [index, { forecast, report, money, paid, cut }] of rows.entries()) {
        const name = happened.find(([from]) => from === index)?.[1] ?? (cut ? `cut ${cut.why}` : '')
        const off = ((money / paid - 1) * 100).toFixed(1)
        console.log(index, off + ' %', `c ${forecast!.cached}/${report.cachedTokens} w ${forecast!.written}/${report.cacheWrittenTokens} p ${forecast!.cached + forecast!.written + forecast!.fresh}/${report.promptTokens}`, name)
      }
    }
    const sum = (name: 'money' | 'paid') => rows.reduce((all, row) => all + row[name], 0)
    const off = sum('money') / sum('paid') - 1
    if (process.env['SHOW']) console.log(provider.name, (off * 100).toFixed(2), '%')
    assert.ok(Math.abs(off) <= 0.02, `${(off * 100).toFixed(2)} %`)
  })
}

function promptBill(report: SimulatedReport, price: Price): number {
  return callCost({ ...report, outputTokens: 0, reasoningTokens: 0 }, price)!
}
