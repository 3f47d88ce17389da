import assert from 'node:assert/strict'
import test from 'node:test'
import type { LayoutChanges } from '../../src/context.ts'
import { builtIn } from '../../src/foreword.ts'
import type { TextRead } from '../../src/tool.ts'
import { loadConfiguration } from '../../src/runtime/configuration/load.ts'
import { problemText } from '../../src/runtime/configuration/problem.ts'

test('without a file everything has its default, and paths are in the home', async () => {
  const { configuration, problems, origins } = await load({ type: 'missing' })
  assert.deepEqual([problems, origins], [[], {}])
  assert.deepEqual(configuration, {
    gateway: { port: 4141, bind: '127.0.0.1', allowedHosts: [], maxBodyBytes: 1_048_576, heldBodyMegabytes: 128 },
    providers: {},
    models: {},
    context: {
      layout: 'auto',
      placements: {},
      notes: 'model',
      cutWhen: 'full',
      counter: 'tokenx',
      dateGranularity: 'day',
      memory: { previousSession: { maxTokens: 600, summarize: false }, toolHistory: { maxTokens: 300 } },
      completions: { cut: 'none', prompt: false },
      timeZone: 'UTC',
    },
    audit: { checkpoints: ['audit-checkpoints.jsonl'], checkpointRecords: 100, checkpointMinutes: 10 },
    keep: { bodyDays: 365, setAsideDays: 90 },
    agent: {
      maxSteps: 12,
      maxAnswerMs: 1_800_000,
      retryForMs: 60_000,
      workspace: '/srv/foreword/workspace',
      toolTimeoutMs: 120_000,
      maxResultChars: 24_000,
      maxOpenTurns: 1_000,
      maxTurnResultChars: 240_000,
    },
    skills: {
      directory: '/srv/foreword/skills',
      extraDirs: [],
      trustedDirs: [],
      disabled: [],
      contextMode: 'auto',
      allowScripts: false,
    },
    files: { maxBytes: 52_428_800, maxTokens: 1_000_000 },
    budgets: [],
    responses: { keepDays: 30 },
    through: {
      assemble: [],
      enabled: true,
      maxBodyMegabytes: 256,
      overBudget: 'wait',
      paths: [],
      secrets: 'refuse',
      signInTokens: false,
      waitMinutes: 5,
    },
    schedules: { enabled: true, people: false },
    telemetry: {
      enabled: false,
      headersEnv: 'OTEL_EXPORTER_OTLP_HEADERS',
      conventions: '1.41',
      content: false,
    },
    search: {},
    web: { allowHosts: [], maxBytes: 5_000_000, timeoutMs: 20_000 },
    subjects: {
      directory: '/srv/foreword/subjects',
      tastes: '/srv/foreword/tastes',
      maxTextChars: 20_000,
      maxReplyChars: 50_000,
      summarize: false,
    },
    channels: {},
    mcp: { servers: {} },
    people: { budgets: [], maxOpenTurns: 100, turnsAtOnce: 4, readersAtOnce: 2, limits: [] },
    plugins: [],
    capabilities: [],
  })
})

test('a file with comments is read, and each key knows where it was said', async () => {
  const { configuration, problems, origins } = await load(`{
  // the office
  "gateway": { "port": 5000 },
  "model": "ollama/llama3.2", /* small */
  "providers": { "office": { "kind": "openai-compatible", "baseURL": "http://10.0.0.2/v1", "apiKeyFile": "key", }, },
}`)
  assert.deepEqual(problems, [])
  assert.equal(configuration.gateway.port, 5000)
  assert.equal(configuration.model, 'ollama/llama3.2')
  assert.equal(configuration.providers['office']?.apiKeyFile, '/srv/foreword/key')
  assert.deepEqual(origins, {
    'gateway.port': 'config.json:3:16',
    model: 'config.json:4:3',
    'providers.office.kind': 'config.json:5:30',
    'providers.office.baseURL': 'config.json:5:59',
    'providers.office.apiKeyFile': 'config.json:5:92',
  })
})

test('in a list, too, an unknown key is answered with those that there are', async () => {
  const budgets = [
    { name: 'daily', per: 'day', limit: { usd: 5 } },
    { per: 'day', limt: { usd: 5 } },
    { per: 'day', limit: { dollars: 5 } },
  ]
  const { problems } = await load(JSON.stringify({ budgets }))
  assert.deepEqual(
    problems.map(problemText).map((text) => text.replace(/^config\.json:1:\d+: /, '')),
    [
      'budgets.0.name is not a key. Known here: limit, per, agent, token, channel, warnAt.',
      'budgets.1.limit is missing; it must be an object. `{"usd": 5}`: US dollars. `{"tokens": 100000}`: tokens of prompts and answers together.',
      'budgets.1.limt is not a key. Did you mean budgets.1.limit?',
      'budgets.2.limit.usd is missing; it must be a number.',
      'budgets.2.limit.dollars is not a key. Known here: usd, tokens.',
    ],
  )
})

test('every problem is named, with its place and how to fix it, and what is right still counts', async () => {
  const { configuration, problems } = await load(`{
  "gateway": { "port": "4141", "bnd": "0.0.0.0" },
  "modle": "ollama/llama3.2",
  "context": { "layout": "onix", "headShare": 2 },
  "agent": { "maxSteps": 3.5 },
  "providers": {
    "office": { "baseURL": "http://10.0.0.2/v1" },
    "cloud": { "kind": "openai", "apiKey": "sk-very-secret" }
  },
  "skills": { "disabled": "shell", "contextMode": "full" }
}`)
  assert.deepEqual(problems.map(problemText), [
    'config.json:2:16: gateway.port must be a number. Port that the gateway listens on; 0 chooses a free one.',
    'config.json:2:32: gateway.bnd is not a key. Did you mean gateway.bind?',
    'config.json:3:3: modle is not a key. Did you mean model?',
    'config.json:4:16: context.layout must be one of auto, chai, ayati, onyx, deepchat. Placements of layers and how history is cut: auto, chai, ayati, onyx, deepchat, or one of them with changes.',
    'config.json:4:34: context.headShare must be at most 1. Share of the available tokens that tools, system and preamble may use, 0 to 1.',
    'config.json:5:14: agent.maxSteps must be a whole number. Model calls that one turn may make.',
    'config.json:7:5: providers.office.kind is missing; it must be one of ollama, openai, anthropic, openai-compatible, rehearsal. Protocol of the provider.',
    'config.json:8:34: providers.cloud.apiKey is not a key. A secret does not belong here: name an environment variable or a file that holds it. Known here: kind, baseURL, apiKeyEnv, apiKeyFile, headers, keepAlive, api, cacheRetention, timeouts.',
    'config.json:10:15: skills.disabled must be a list. Names of skills to leave out.',
  ])
  assert.equal(configuration.gateway.port, 4141)
  assert.equal(configuration.skills.contextMode, 'full')
  assert.deepEqual(configuration.providers, { cloud: { kind: 'openai' } })
})

test('no problem repeats a value: it may be a secret', async () => {
  const { problems } = await load(`{
    "gateway": { "token": "hush hush" },
    "providers": { "cloud": { "kind": "sk-hush", "apiKeyEnv": "sk-hush", "baseURL": "hush" } }
  }`)
  assert.equal(problems.length, 4)
  assert.doesNotMatch(JSON.stringify(problems), /hush/)
})

test('a file that is no JSON is a problem with a line and a column', async () => {
  for (const [text, place] of [
    ['{\n  "model": ollama\n}', 'config.json:2:12'],
    ['[]', 'config.json:1:1'],
    ['{"model": "a"', 'config.json:1:14'],
  ] as const) {
    const { configuration, problems } = await load(text)
    assert.equal(problems[0]?.place, place, text)
    assert.equal(configuration.model, undefined)
  }
})

test('a duplicate key is a problem with the position of the second', async () => {
  const { problems } = await load(
    '{\n  "model": "rehearsal",\n  "agent": {"maxSteps": 3, "maxSteps": 4},\n  "model": "a/b"\n}',
  )
  assert.deepEqual(
    problems.map(({ key, place }) => [key, place]),
    [
      ['agent.maxSteps', 'config.json:3:28'],
      ['model', 'config.json:4:3'],
    ],
  )
  assert.match(problems[0]!.message, /appears twice/)
})

test('a file that cannot be read is a problem, an empty one is none', async () => {
  const { problems } = await load({ type: 'unreadable', why: 'it is a folder, not a file' })
  assert.deepEqual(problems.map(problemText), ['config.json: the file cannot be read: it is a folder, not a file.'])
  assert.deepEqual((await load(' \n')).problems, [])
})

test('the environment overrides single keys', async () => {
  const { configuration, problems, origins } = await load('{"gateway": {"port": 5000}, "model": "a/b"}', {
    FOREWORD_GATEWAY_PORT: '6000',
    FOREWORD_AGENT_MAX_STEPS: '3',
    FOREWORD_SKILLS_ALLOW_SCRIPTS: 'true',
    FOREWORD_SKILLS_EXTRA_DIRS: 'more, /else/where,~/mine',
    FOREWORD_CONTEXT_LAYOUT: '{"extends": "auto", "headShare": 0.5}',
    FOREWORD_CHANNELS_TELEGRAM_ALLOWED_USERS: '1,2',
    FOREWORD_MODEL: '',
    HOME: '/people/ann',
  })
  assert.deepEqual(problems, [])
  assert.equal(configuration.gateway.port, 6000)
  assert.equal(configuration.model, 'a/b')
  assert.equal(configuration.agent.maxSteps, 3)
  assert.equal(configuration.skills.allowScripts, true)
  assert.deepEqual(configuration.skills.extraDirs, ['/srv/foreword/more', '/else/where', '/people/ann/mine'])
  assert.deepEqual(configuration.context.layout, { extends: 'auto', placements: {}, cut: {}, headShare: 0.5 })
  assert.deepEqual(configuration.channels.telegram?.allowedUsers, [1, 2])
  assert.equal(origins['gateway.port'], 'FOREWORD_GATEWAY_PORT')
  assert.equal(origins['model'], 'config.json:1:29')
})

test('a variable that does not fit its key is named as the place of the problem', async () => {
  const { configuration, problems } = await load('{}', { FOREWORD_GATEWAY_PORT: 'http' })
  assert.deepEqual(problems.map(problemText), [
    'FOREWORD_GATEWAY_PORT: gateway.port must be a number. Port that the gateway listens on; 0 chooses a free one.',
  ])
  assert.equal(configuration.gateway.port, 4141)
})

test('single keys of the context section change its layout', async () => {
  const { configuration } = await load(`{"context": {
    "layout": {"extends": "auto", "placements": {"skills": "preamble"}, "cut": {"unit": "message"}},
    "lowWater": 0.75,
    "placements": {"memory": "before-input"}
  }}`)
  assert.deepEqual(configuration.context.layout, {
    extends: 'auto',
    placements: { skills: 'preamble', memory: 'before-input' },
    cut: { unit: 'message', lowWater: 0.75 },
  })
})

test('a priority for a name that nothing places is a problem with its place', async () => {
  const { configuration, problems } = await load(`{"context": {
    "layout": {"extends": "auto", "placements": {"weather": "system"}, "priorities": {"instrucitons": "low", "weather": "low", "notes": "high"}},
    "placements": {"notes": "system"}
  }}`)
  assert.deepEqual(problems.map(problemText), [
    'config.json:2:87: context.layout.priorities.instrucitons is not a layer with a placement: did you mean instructions.',
  ])
  assert.deepEqual((configuration.context.layout as LayoutChanges).priorities, { weather: 'low', notes: 'high' })
})

test('an unknown kind of embedding model is a problem that names the kinds of all capabilities in the list', async () => {
  const text = '{"gateway": {"port": 5000}, "search": {"embedding": {"kind": "olama", "model": "nomic-embed-text"}}}'
  const { problems, configuration } = await load(text)
  assert.deepEqual(problems.map(problemText), [
    'config.json:1:54: search.embedding.kind must be one of ollama, openai-compatible. Did you mean ollama?',
  ])
  // The rest of the file counts.
  assert.deepEqual([configuration.gateway.port, configuration['search']], [5000, {}])
})

function load(file: string | TextRead, environment = {}) {
  const found: TextRead = typeof file === 'string' ? { type: 'text', text: file } : file
  return loadConfiguration({
    home: '/srv/foreword',
    capabilities: builtIn,
    environment,
    timeZone: 'UTC',
    read: async () => found,
  })
}
