import assert from 'node:assert/strict'
import test from 'node:test'
import { builtIn } from '../../src/foreword.ts'
import { configurationSchema } from '../../src/runtime.ts'
import { type KeySchema, schemaAt } from '../../src/runtime/configuration/key.ts'
import { providers as known } from '../../src/capabilities/providers.ts'
import { createModels } from '../../src/model.ts'
import { loadConfiguration } from '../../src/runtime/configuration/load.ts'
import { modelNameFault } from '../../src/runtime/configuration/unknown-names.ts'
import { configurationWarnings } from '../../src/runtime/configuration/warnings.ts'
import { systemClock } from '../../src/platform.ts'

/** A provider that is configured rightly. */
const openid = { issuer: 'https://idp.example/realms/reef', clientId: 'foreword', allow: { domains: ['reef.example'] } }

/** Wrong configurations, and the key that has to be named; where that is none, the variable. */
const wrong: readonly (readonly [config: object, key: string])[] = [
  // Misspelt.
  [{ gatway: { port: 1 } }, 'gatway'],
  [{ gateway: { prot: 1 } }, 'gateway.prot'],
  [{ modle: 'rehearsal' }, 'modle'],
  [{ providers: { lab: { kind: 'ollama', baseUrl: 'http://a' } } }, 'providers.lab.baseUrl'],
  [{ models: { 'ollama/a': { windw: 5 } } }, 'models.ollama/a.windw'],
  [{ context: { layout: { extends: 'auto', placments: {} } } }, 'context.layout.placments'],
  [{ agent: { maxStep: 5 } }, 'agent.maxStep'],
  [{ mcp: { servers: { a: { comand: 'x' } } } }, 'mcp.servers.a.comand'],
  [{ mcp: { server: {} } }, 'mcp.server'],
  [{ channels: { telegramm: {} } }, 'channels.telegramm'],
  // Out of range.
  [{ gateway: { port: 70_000 } }, 'gateway.port'],
  [{ gateway: { port: -1 } }, 'gateway.port'],
  [{ gateway: { port: 4141.5 } }, 'gateway.port'],
  [{ gateway: { maxBodyBytes: 1 } }, 'gateway.maxBodyBytes'],
  [{ agent: { maxSteps: 0 } }, 'agent.maxSteps'],
  [{ agent: { maxSteps: 1e9 } }, 'agent.maxSteps'],
  [{ agent: { toolTimeoutMs: 0 } }, 'agent.toolTimeoutMs'],
  [{ agent: { toolTimeoutMs: 1e12 } }, 'agent.toolTimeoutMs'],
  [{ agent: { maxAnswerMs: 1e12 } }, 'agent.maxAnswerMs'],
  [{ agent: { retryForMs: 700_000 } }, 'agent.retryForMs'],
  [{ agent: { maxResultChars: 499 } }, 'agent.maxResultChars'],
  [{ agent: { maxTurnResultChars: 1 } }, 'agent.maxTurnResultChars'],
  [{ context: { headShare: 1.5 } }, 'context.headShare'],
  [{ context: { lowWater: -0.1 } }, 'context.lowWater'],
  [{ context: { reserve: 0 } }, 'context.reserve'],
  [{ context: { margin: -1 } }, 'context.margin'],
  [{ models: { 'ollama/a': { window: 0 } } }, 'models.ollama/a.window'],
  [{ models: { 'ollama/a': { price: { input: -1, output: 1 } } } }, 'models.ollama/a.price.input'],
  [{ providers: { lab: { kind: 'ollama', timeouts: { firstMs: 1e10 } } } }, 'providers.lab.timeouts.firstMs'],
  [{ files: { maxBytes: 3e9 } }, 'files.maxBytes'],
  [{ files: { maxTokens: 0 } }, 'files.maxTokens'],
  [{ web: { maxBytes: 1 } }, 'web.maxBytes'],
  [{ web: { timeoutMs: 1e11 } }, 'web.timeoutMs'],
  [{ subjects: { maxTextChars: 1 } }, 'subjects.maxTextChars'],
  [{ mcp: { servers: { a: { command: 'x', connectTimeoutMs: 1e10 } } } }, 'mcp.servers.a.connectTimeoutMs'],
  // Not one of the words, not written as it has to be.
  [{ providers: { lab: { kind: 'openai-compatibel' } } }, 'providers.lab.kind'],
  [{ providers: { lab: { baseURL: 'http://a' } } }, 'providers.lab.kind'],
  [{ providers: { lab: { kind: 'ollama', baseURL: 'ftp://a' } } }, 'providers.lab.baseURL'],
  [{ providers: { lab: { kind: 'ollama', apiKeyEnv: 'not a name' } } }, 'providers.lab.apiKeyEnv'],
  [{ providers: { lab: { kind: 'openai', api: 'completions' } } }, 'providers.lab.api'],
  [{ gateway: { bind: 'http://127.0.0.1' } }, 'gateway.bind'],
  [{ gateway: { bind: '127.0.0.1:4141' } }, 'gateway.bind'],
  [{ gateway: { bind: '' } }, 'gateway.bind'],
  [{ gateway: { token: 'two words' } }, 'gateway.token'],
  ...(['http://idp.example', 'https://idp.example/?a=b', 'idp.example'] as const).map(
    (issuer) => [{ gateway: { openid: { ...openid, issuer } } }, 'gateway.openid.issuer'] as const,
  ),
  [{ gateway: { openid: { ...openid, allow: {} } } }, 'gateway.openid.allow'],
  [{ gateway: { openid: { ...openid, allow: { emails: [] } } } }, 'gateway.openid.allow.emails'],
  [{ gateway: { openid: { ...openid, allow: undefined } } }, 'gateway.openid.allow'],
  [{ gateway: { openid: { ...openid, roles: { captains: 'admin' } } } }, 'gateway.openid.roles.captains'],
  [{ gateway: { publicUrl: 'https://foreword.example/below' } }, 'gateway.publicUrl'],
  [{ gateway: { trustedProxy: { header: 'Authorization', from: ['10.0.0.1'] } } }, 'gateway.trustedProxy.header'],
  [{ gateway: { trustedProxy: { header: 'x-user', from: ['10.0.0.0/33'] } } }, 'gateway.trustedProxy.from.0'],
  [{ gateway: { trustedProxy: { header: 'x-user', from: ['proxy.example'] } } }, 'gateway.trustedProxy.from.0'],
  [{ gateway: { trustedProxy: { header: 'x-user', from: [] } } }, 'gateway.trustedProxy.from'],
  [{ context: { layout: 'onix' } }, 'context.layout'],
  [{ context: { layout: { extends: 'onix' } } }, 'context.layout.extends'],
  [{ context: { layout: { extends: 'auto', cut: { unit: 'page' } } } }, 'context.layout.cut.unit'],
  [{ context: { layout: { extends: 'auto', priorities: { soul: 'top' } } } }, 'context.layout.priorities.soul'],
  [{ context: { placements: { skills: 'top' } } }, 'context.placements.skills'],
  [{ context: { timeZone: 'Europe/Berlim' } }, 'context.timeZone'],
  [{ models: { 'ollama/a': { cache: { kind: 'marked' } } } }, 'models.ollama/a.cache.minimumTokens'],
  [{ models: { 'ollama/a': { price: { input: 1 } } } }, 'models.ollama/a.price.output'],
  [{ search: { embedding: { kind: 'ollama' } } }, 'search.embedding.model'],
  [{ web: { search: { kind: 'google' } } }, 'web.search.kind'],
  [{ channels: { telegram: { webhook: { url: 'http://a' } } } }, 'channels.telegram.webhook.url'],
  [{ channels: { telegram: { apiRoot: 'nowhere' } } }, 'channels.telegram.apiRoot'],
  [{ mcp: { servers: { a: { url: 'unix:/x' } } } }, 'mcp.servers.a.url'],
  [{ mcp: { servers: { a: { command: '' } } } }, 'mcp.servers.a.command'],
  [{ plugins: [''] }, 'plugins.0'],
  // Names that nothing has.
  [{ model: '5' }, 'model'],
  [{ model: 'lab/m1' }, 'model'],
  [{ model: 'ollama' }, 'model'],
  [{ models: { 'lab/m1': { window: 5 } } }, 'models.lab/m1'],
  [{ models: { 'llama3.2': { window: 5 } } }, 'models.llama3.2'],
  [{ subjects: { summarize: true, summaryModel: 'lab/m1' } }, 'subjects.summaryModel'],
  [{ context: { placements: { instrucitons: 'system' } } }, 'context.placements.instrucitons'],
  [{ context: { placements: { weather: 'system' } } }, 'context.placements.weather'],
  [{ context: { layout: { extends: 'auto', placements: { skill: 'system' } } } }, 'context.layout.placements.skill'],
  [{ context: { layout: { extends: 'auto', priorities: { skil: 'low' } } } }, 'context.layout.priorities.skil'],
  // Paths where nothing is.
  [{ agent: { workspace: 'nowhere' } }, 'agent.workspace'],
  [{ skills: { directory: 'nowhere' } }, 'skills.directory'],
  [{ skills: { extraDirs: ['nowhere'] } }, 'skills.extraDirs'],
  [{ skills: { extraDirs: ['/etc/hostname'] } }, 'skills.extraDirs'],
  [{ skills: { trustedDirs: ['/no/such/folder'] } }, 'skills.trustedDirs'],
  [{ subjects: { directory: '/no/such/folder' } }, 'subjects.directory'],
  [{ subjects: { tastes: '/no/such/folder' } }, 'subjects.tastes'],
  [{ providers: { lab: { kind: 'openai', apiKeyFile: 'nowhere' } } }, 'providers.lab.apiKeyFile'],
  [{ channels: { telegram: { tokenFile: '/' } } }, 'channels.telegram.tokenFile'],
  [{ mcp: { servers: { a: { command: 'x', directory: 'nowhere' } } } }, 'mcp.servers.a.directory'],
  // Values without effect, and combinations that cannot be.
  [{ providers: { lab: { kind: 'openai-compatible' } } }, 'providers.lab.baseURL'],
  [{ providers: { lab: { kind: 'anthropic', api: 'chat' } } }, 'providers.lab.api'],
  [{ providers: { lab: { kind: 'ollama', api: 'responses' } } }, 'providers.lab.api'],
  [{ providers: { dry: { kind: 'rehearsal', baseURL: 'http://a' } } }, 'providers.dry.baseURL'],
  [{ providers: { 'a/b': { kind: 'ollama' } } }, 'providers.a/b'],
  [{ providers: { 'my lab': { kind: 'ollama' } } }, 'providers.my lab'],
  [{ providers: { lab: { kind: 'openai', apiKeyEnv: 'NOT_SET' } } }, 'providers.lab.apiKeyEnv'],
  [
    { providers: { lab: { kind: 'openai', apiKeyEnv: 'PATH', apiKeyFile: '/etc/hostname' } } },
    'providers.lab.apiKeyEnv',
  ],
  [{ providers: { lab: { kind: 'ollama', headers: { 'a b': 'x' } } } }, 'providers.lab.headers.a b'],
  [{ models: { 'ollama/a': { window: 4096, maxOutput: 8192 } } }, 'models.ollama/a.maxOutput'],
  [{ model: 'ollama/a', models: { 'ollama/a': { window: 4096 } }, context: { reserve: 5000 } }, 'context.reserve'],
  [{ model: 'ollama/a', models: { 'ollama/a': { window: 4096 } }, context: { margin: 5000 } }, 'context.margin'],
  [{ gateway: { allowedHosts: ['http://box.local'] } }, 'gateway.allowedHosts'],
  [{ gateway: { openid: { ...openid, clientSecretEnv: 'NOT_SET' } } }, 'gateway.openid.clientSecretEnv'],
  [
    { gateway: { openid: { ...openid, clientSecretEnv: 'PATH', clientSecretFile: '/etc/hostname' } } },
    'gateway.openid.clientSecretEnv',
  ],
  [{ gateway: { openid: { ...openid, clientSecretFile: 'nowhere' } } }, 'gateway.openid.clientSecretFile'],
  [{ gateway: { allowedHosts: ['box.local/'] } }, 'gateway.allowedHosts'],
  [{ web: { allowHosts: ['127.0.0.1:8888'] } }, 'web.allowHosts'],
  [{ subjects: { summaryModel: 'ollama/a' } }, 'subjects.summaryModel'],
  [{ channels: { telegram: { allowedUsers: [-5] } } }, 'channels.telegram.allowedUsers'],
  [{ channels: { telegram: { allowedChats: [5] } } }, 'channels.telegram.allowedChats'],
  [{ mcp: { servers: { a: { url: 'http://a', args: ['x'] } } } }, 'mcp.servers.a.args'],
  [{ mcp: { servers: { a: { command: 'x', headers: { A: 'B' } } } } }, 'mcp.servers.a.headers'],
]

test('every wrong value is named by its key: of another kind, out of range, misspelt, without effect', async () => {
  const rows = [...wrong, ...ofAnotherKind()]
  assert.ok(rows.length > 105)
  const found = await Promise.all(rows.map(async ([config, key]) => ({ config, key, named: await namedBy(config) })))
  assert.deepEqual(
    found.filter(({ key, named }) => !named.includes(key)),
    [],
  )
})

test('variables that set nothing are named, each with the one that may be meant', async () => {
  const environment = {
    FOREWORD_HOME: '/x',
    FOREWORD_DEBUG: '1',
    FOREWORD_RUN: '1',
    FOREWORD_GATEWAY_PORT: '1',
    FOREWORD_TOOL_INPUT: '{}',
    FOREWORD_LAB_KEY: 'hush',
    FOREWORD_MODLE: '',
    FOREWORD_GATWAY_PORT: 'hush',
    foreword_model: 'hush',
    FOREWORD_PROVIDERS_LAB_KIND: 'hush',
    FOREWORD_MCP_SERVERS_A_URL: 'hush',
    FOREWORD_QUITE_ANOTHER_THING: 'hush',
  }
  const loaded = await loadedFrom(
    { providers: { lab: { kind: 'openai', apiKeyEnv: 'FOREWORD_LAB_KEY' } } },
    environment,
  )
  const warnings = await configurationWarnings(loaded, environment)
  assert.deepEqual(
    warnings.map(({ place, hint }) => [place, hint]),
    [
      ['FOREWORD_GATWAY_PORT', 'Did you mean FOREWORD_GATEWAY_PORT?'],
      ['foreword_model', 'Did you mean FOREWORD_MODEL?'],
      ['FOREWORD_PROVIDERS_LAB_KIND', 'Set entries of providers in config.json.'],
      ['FOREWORD_MCP_SERVERS_A_URL', 'Set entries of mcp in config.json.'],
      [
        'FOREWORD_QUITE_ANOTHER_THING',
        'Write a key in capitals with underscores: gateway.port is FOREWORD_GATEWAY_PORT.',
      ],
    ],
  )
  assert.doesNotMatch(JSON.stringify(warnings), /hush/)
})

test('a configuration that is right has no warnings', async () => {
  const environment = { OPENROUTER_API_KEY: 'x' }
  const loaded = await loadedFrom(
    {
      gateway: {
        bind: '::1',
        allowedHosts: ['box.local', 'box.local:4141', '[::1]', '10.0.0.2'],
        openid,
        publicUrl: 'https://foreword.example',
        trustedProxy: { header: 'X-Forwarded-User', from: ['127.0.0.1/32', 'fd00::/8', '10.0.0.7'] },
      },
      providers: {
        lab: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1234/v1', api: 'responses' },
        openrouter: {
          kind: 'openai-compatible',
          baseURL: 'https://openrouter.ai/api/v1',
          apiKeyEnv: 'OPENROUTER_API_KEY',
        },
      },
      models: { 'lab/qwen3': { window: 32768 }, 'ollama/llama3.2': { window: 9 }, rehearsal: { window: 9000 } },
      context: { placements: { date: 'preamble', memory: 'before-input' } },
      mcp: { servers: { a: { command: 'x', args: ['y'], directory: '/' }, b: { url: 'http://b', headers: {} } } },
      agent: { workspace: '/' },
    },
    environment,
  )
  assert.deepEqual([loaded.problems, await configurationWarnings(loaded, environment)], [[], []])
})

test('layers of plugins of the owner are taken as they are named, unless another one is near', async () => {
  const placements = { weather: 'system', instrucitons: 'system' }
  const loaded = await loadedFrom({ plugins: ['./weather.ts'], context: { placements } })
  const warnings = await configurationWarnings(loaded, {})
  assert.deepEqual(
    warnings.map(({ key }) => key),
    ['context.placements.instrucitons'],
  )
})

/** For each key of the schema a value of a kind that it cannot have. */
function ofAnotherKind(): readonly (readonly [object, string])[] {
  const entry: Readonly<Record<string, string>> = { providers: 'lab', models: 'ollama/a', 'mcp.servers': 'a' }
  const paths = (schema: KeySchema, path: readonly string[]): readonly (readonly string[])[] => {
    const name = entry[path.join('.')]
    if (name !== undefined) return [path, ...paths(schema.additionalProperties as KeySchema, [...path, name])]
    const inner = Object.entries(schema.properties ?? {}).filter(([key]) => key !== '$schema')
    return inner.length === 0 ? [path] : inner.flatMap(([key, each]) => paths(each, [...path, key]))
  }
  const { json } = configurationSchema(builtIn)
  return paths(json, []).map((path) => {
    const value = schemaAt(path, json)?.type === 'string' ? 5 : 'of another kind'
    return [path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object, path.join('.')]
  })
}

/** The keys that a start or a command says something of, for this file. */
async function namedBy(config: object): Promise<readonly string[]> {
  const environment = { PATH: '/usr/bin' }
  const loaded = await loadedFrom(config, environment)
  const { model } = loaded.configuration
  // Of the model itself, the screen of the start and `foreword doctor` say it as the models do.
  const fault = model === undefined ? undefined : modelNameFault(model, loaded.configuration, known)
  if (fault) await assert.rejects(createModels({ clock: systemClock, known, environment }).model(model!))
  const warnings = await configurationWarnings(loaded, environment)
  return [...(fault ? ['model'] : []), ...[...loaded.problems, ...warnings].map(({ key }) => key)]
}

function loadedFrom(config: object, environment: Readonly<Record<string, string>> = {}) {
  const read = () => Promise.resolve({ type: 'text' as const, text: JSON.stringify(config) })
  return loadConfiguration({ home: '/srv/foreword', capabilities: builtIn, environment, timeZone: 'UTC', read })
}
