import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type TestContext } from 'node:test'
import { builtIn, capability, createForeword } from '../../src/foreword.ts'
import { arrivingHome, decideRestore } from '../../src/runtime/restore/pending-restore.ts'
import { configuredCapabilities } from '../../src/runtime/configured-capabilities.ts'
import { configurationSchema, findKeyPath, loadConfiguration } from '../../src/runtime.ts'
import { run } from '../cli/recorded-io.ts'

test('a gateway is embedded in eight lines, as the guide and the example show it', async (t) => {
  const root = join(import.meta.dirname, '../..')
  const guide = readFileSync(join(root, 'docs/guide/library.md'), 'utf8')
  const shown = [...guide.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code!.trim())
  const embedded = shown.find((code) => code.includes('createForeword('))!
  assert.ok(embedded.split('\n').length <= 8, embedded)
  const words = ['--conditions=foreword-source', join(root, 'examples/04-embedded.ts'), temporaryHome(t)]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  assert.match(stdout, /^Hello from the gateway\.\nThe HTTP API was at http:\/\/127\.0\.0\.1:\d+\.\n$/)
})

test('an embedded gateway answers over HTTP', async (t) => {
  const foreword = await createForeword({ home: temporaryHome(t), configuration: { model: 'rehearsal' } })
  const { url } = await foreword.listen({ port: 0 })
  const { session, turn } = await foreword.runtime.submit({ text: '/say Hello.' })
  const answer = await fetch(`${url}/api/sessions/${session}/turns/${turn}?wait=10000`, {
    headers: { authorization: `Bearer ${foreword.token}` },
  })
  assert.equal(((await answer.json()) as { text: string }).text, 'Hello.')
  await foreword.close()
})

test('a mistake in the configuration is reported before the home is changed', async (t) => {
  const home = temporaryHome(t)
  await assert.rejects(
    createForeword({ home, configuration: { gatway: {} } }),
    /gatway is not a key.*Did you mean gateway/,
  )
})

test('a restore that was interrupted is completed before the home is read', async (t) => {
  const home = temporaryHome(t)
  writeFileSync(join(home, 'config.json'), '{"model": "former"}')
  mkdirSync(arrivingHome(home), { recursive: true })
  writeFileSync(join(arrivingHome(home), 'config.json'), '{"model": "rehearsal"}')
  writeFileSync(join(arrivingHome(home), 'notes.txt'), 'restored')
  const aside = 'before-restore-20260101T000000Z'
  await decideRestore(home, aside)
  // It broke off after the former configuration was put aside.
  mkdirSync(join(home, aside))
  renameSync(join(home, 'config.json'), join(home, aside, 'config.json'))
  const warnings: string[] = []
  const foreword = await createForeword({ home, warn: (text) => warnings.push(text) })
  assert.equal((await foreword.runtime.status()).model.id, 'rehearsal')
  await foreword.close()
  assert.equal(readFileSync(join(home, 'notes.txt'), 'utf8'), 'restored')
  assert.equal(readFileSync(join(home, aside, 'config.json'), 'utf8'), '{"model": "former"}')
  assert.equal(existsSync(join(home, '.restoring')), false)
  assert.deepEqual(warnings, [`Completed an interrupted restore. The former content is in ${join(home, aside)}.`])
})

test('an address that others can reach needs a strong token: a short one is refused with a hint, and not kept', async (t) => {
  const home = temporaryHome(t)
  const weak = { model: 'rehearsal', gateway: { bind: '0.0.0.0', token: 'guessable' } }
  const refusal = { code: 'token', message: /0\.0\.0\.0/, hint: /gateway\.token/ }
  await assert.rejects(createForeword({ home, configuration: weak }), refusal)
  assert.equal(existsSync(join(home, 'data', 'token')), false)

  const inside = await createForeword({
    home,
    configuration: { ...weak, gateway: { bind: '127.0.0.1', token: 'guessable' } },
  })
  await assert.rejects(inside.listen({ port: 0, bind: '0.0.0.0' }), /0\.0\.0\.0/)
  await inside.close()
  // The token of before is in data/token now, and is as weak as it was.
  await assert.rejects(
    createForeword({ home, configuration: { model: 'rehearsal', gateway: { bind: '0.0.0.0' } } }),
    refusal,
  )
  rmSync(join(home, 'data', 'token'))
  const open = await createForeword({ home, configuration: { model: 'rehearsal', gateway: { bind: '0.0.0.0' } } })
  assert.ok(open.token.length >= 24)
  await open.close()
})

for (const { name, settings } of builtIn.filter((one) => one.settings)) {
  const settingsKey = settings?.key ?? name
  test(`without the capability ${name}, ${settingsKey} is a key like any other unknown one`, async () => {
    const without = builtIn.filter((one) => one.name !== name)
    const value = settingsKey.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), settings ? {} : 0)
    const read = async () => ({ type: 'text' as const, text: JSON.stringify(value) })
    const { problems } = await loadConfiguration({
      home: '/srv/foreword',
      environment: {},
      capabilities: without,
      read,
    })
    assert.deepEqual(
      problems.map(({ key, message }) => `${key} ${message}`),
      [`${settingsKey} is not a key`],
    )
    assert.equal(findKeyPath(settingsKey, configurationSchema(without)), undefined)
  })
}

test('config.json names a capability: its section is checked, its layer is sent, and it is listed by config', async (t) => {
  const home = temporaryHome(t)
  writeFileSync(join(home, 'tide.ts'), tide)
  writeFileSync(
    join(home, 'config.json'),
    '{"capabilities": ["./tide.ts"], "model": "rehearsal", "tide": {"harbour": "Kiel"}}',
  )
  const environment = { FOREWORD_HOME: home }
  assert.match((await run(['config', 'get', 'tide.harbour'], { environment })).stdout, /^Kiel {2}\(config\.json:1:/)
  assert.equal((await run(['config', 'set', 'tide.harbour', 'Emden'], { environment })).code, 0)
  assert.match(
    (await run(['config', 'set', 'tide.harbor', 'x'], { environment })).stderr,
    /Did you mean tide\.harbour\?/,
  )
  const foreword = await createForeword({ home })
  const { request } = await foreword.runtime.preview({ input: 'Hello' })
  assert.match(request.system!, /The harbour is Emden\./)
  await foreword.close()
})

for (const [text, why] of [
  ['export const tide = 1', /has no default export/],
  ['export default { name: 5 }', /its "name" must be a string/],
  ['export default { name: "tide", layers: [] }', /the "layers" of tide must be a function/],
  [
    'export default { name: "tide", layer: 1 }',
    /"layer" of tide is not a member of a capability; did you mean "layers"\?/,
  ],
  ['export default { name: "tide", settings: { _zod: {} } }', /the "settings" of tide must have a "schema"/],
  [
    'export default { name: "tide", settings: { schema: 1 } }',
    /the "settings.schema" of tide must be a schema of zod 4/,
  ],
  ['export default { name: "tide", key: "t" }', /"key" of tide is not a member .* did you mean "settings\.key"\?/],
  ...Object.entries({
    settingsKey: /; it is "settings\.key" now/,
    settingsWarnings: /; it is "settings\.warnings" now/,
    settingsOfPerson: /; it is "settings\.ofPerson" now/,
    homeFolders: /; it is "home\.folders" now/,
    toolNotice: /; it is "notices\.tool" now/,
    pairingNotice: /; it is "notices\.pairing" now/,
    session: /; it is "sessions\.choices" now/,
    sessionStarted: /; it is "sessions\.started" now/,
    sessionDeleted: /; it is "sessions\.deleted" now/,
    warnings: /; it is "status\.warnings" now/,
    status: /"status" of tide must be an object; a function that gives facts is "status\.facts" now/,
    withheld: /; each of its "pins" has it now/,
    accept: /; each of its "pins" has it now/,
    turnTools: /; they are among its "tools" now, with "offeredIn"/,
    rawEndpoints: /; it is "http\.raw" now/,
    errorFormat: /; it is "http\.errors" now/,
    version: /"version" of tide is not a member of a capability; leave it out/,
    routes: /did you mean "http\.routes"/,
    idle: /did you mean "lifecycle\.idle"/,
  }).map(([former, hint]) => [`export default { name: "tide", ${former}: () => [] }`, hint] as const),
  ['export default { name: "a tide" }', /its name "a tide" must begin with a letter/],
  ['export default { name: "skills" }', /there is a capability skills already/],
  [
    'export default { name: "tide", commands: { skills() {} } }',
    /the command skills of tide is also a command of the capability skills/,
  ],
  [
    'export default { name: "tide", commands: { send() {} } }',
    /the command send of tide is also a command of Foreword itself/,
  ],
  [
    'export default { name: "tide", sessions: { choices: { agent: {} } } }',
    /the session choice agent of tide is also a session choice of the capability agents/,
  ],
  [
    'export default { name: "tide", models: { providers: [{ kind: "openai" }] } }',
    /the provider openai of tide is also a provider of the capability openai/,
  ],
  [
    'export default { name: "tide", models: { embedders: [{ kind: "ollama" }] } }',
    /the kind of embedding model ollama of tide is also a kind of embedding model of the capability ollama/,
  ],
  [
    'export default { name: "tide", layouts: [{ name: "auto" }] }',
    /the layout auto of tide is also a layout of Foreword itself/,
  ],
  [
    'export default { name: "tide", layouts: [{ name: "own" }, { name: "own" }] }',
    /the layout own of tide is also a layout of the capability tide/,
  ],
  ['throw new Error("no tide today")', /no tide today/],
  ['export const low = 1; enum Tide {}', /tide\.ts:1: TypeScript enum is not supported/],
] as const) {
  test(`a module that says ${text} is a problem, which commands that start nothing survive`, async (t) => {
    const home = temporaryHome(t)
    writeFileSync(join(home, 'tide.ts'), text)
    writeFileSync(join(home, 'config.json'), '{"capabilities": ["./tide.ts"], "model": "rehearsal"}')
    const { problems } = await loadConfiguration({ home, environment: {}, capabilities: builtIn })
    assert.match(problems[0]!.message, why)
    assert.deepEqual([problems[0]!.key, problems[0]!.place], ['capabilities', 'config.json:1:2'])
    const environment = { FOREWORD_HOME: home }
    const usable = await configuredCapabilities({ home, environment: {}, capabilities: builtIn })
    assert.deepEqual([usable.capabilities, usable.problems], [builtIn, problems])
    assert.match((await run(['config', 'get', 'model'], { environment })).stdout, /^rehearsal/)
    const started = await run(['start'], { environment })
    assert.equal(started.code, 1)
    assert.match(started.stderr, /capabilities names \.\/tide\.ts, which cannot be used/)
  })
}

test('settings without a default that are not given are a problem at their key, and the other keys count', async (t) => {
  const home = temporaryHome(t)
  writeFileSync(join(home, 'tide.ts'), tide.replace(".default('Husum')", ''))
  writeFileSync(join(home, 'config.json'), '{"capabilities": ["./tide.ts"], "model": "rehearsal"}')
  const load = () => loadConfiguration({ home, environment: {}, capabilities: builtIn })
  const { problems, configuration } = await load()
  assert.deepEqual(
    problems.map(({ key, message, hint }) => [key, message, hint]),
    [['tide.harbour', 'is missing; it must be a text', 'Whose tides.']],
  )
  assert.equal(configuration.model, 'rehearsal')
  await assert.rejects(createForeword({ home }), {
    code: 'configuration',
    message: /tide\.harbour is missing; it must be a text/,
  })
  const text = '{"capabilities": ["./tide.ts"], "tide": {"harbour": "Kiel"}}'
  writeFileSync(join(home, 'config.json'), text)
  assert.deepEqual((await load()).problems, [])
})

test('the help of a command has the options that a capability of the home adds', async (t) => {
  const home = temporaryHome(t)
  const choice = '{ summary: "The light of the session.", none: "no light", check: async () => {} }'
  writeFileSync(join(home, 'light.ts'), `export default { name: 'light', sessions: { choices: { light: ${choice} } } }`)
  writeFileSync(join(home, 'config.json'), '{"capabilities": ["./light.ts"]}')
  const { stdout } = await run(['send', '--help'], { environment: { FOREWORD_HOME: home } })
  assert.match(stdout, /--light ID {2,}the light of the session/)
})

test('a section that is taken is refused, by the name of the key', async (t) => {
  const home = temporaryHome(t)
  const { z } = await import('zod')
  const module = join(home, 'gate.ts')
  writeFileSync(module, 'export default (setting) => globalThis.gate(setting)')
  writeFileSync(join(home, 'config.json'), '{"capabilities": ["./gate.ts"]}')
  Object.assign(globalThis, {
    gate: () => capability({ name: 'gate', settings: { key: 'gateway.port', schema: z.string() } }),
  })
  const { problems } = await loadConfiguration({ home, environment: {}, capabilities: builtIn })
  assert.match(problems[0]!.message, /would be at gateway\.port, which is a key already; give it another settings\.key/)
})

const tide = `
import { z } from '${import.meta.resolve('zod')}'
export default ({ home }) => ({
  name: 'tide',
  settings: { schema: z.strictObject({ harbour: z.string().default('Husum').describe('Whose tides.') }) },
  layers: ({ settings }) => [
    { id: 'tide', layer: 'tide', placement: 'system', renditions: [{ form: 'full', text: 'The harbour is ' + settings.harbour + '.' }] },
  ],
})
`

function temporaryHome(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-embedded-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  mkdirSync(home)
  return home
}
