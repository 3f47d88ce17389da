import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import harbour from '../../examples/06-own-capability.ts'
import logbook from '../../examples/07-own-layout.ts'
import type { CommandCall, Io, LayerContext, Self } from '../../src/capability.ts'
import { layoutOf } from '../../src/context.ts'
import { loadConfiguration } from '../../src/runtime.ts'
import { createServer } from '../../src/server.ts'
import { capabilityCases } from '../../src/testing.ts'
import { createToolbox } from '../../src/tool.ts'
import { startedCapabilities } from '../home/started-capabilities.ts'
import { temporaryHome } from '../cli/home.ts'
import { scriptedRuntime } from '../server/scripted-runtime.ts'
import { TOKEN } from '../server/served.ts'
import { systemClock } from '../../src/platform.ts'

type Harbour = NonNullable<typeof harbour extends { start?(host: never): infer Service } ? Awaited<Service> : never>

async function selfOf(t: TestContext, draught: number): Promise<Self<{ draught: number }, Harbour>> {
  return (await startedCapabilities(t, [harbour], { harbour: { draught } })).self('harbour')
}

capabilityCases(test, harbour, { settings: { draught: 2.1 } })
capabilityCases(test, logbook)

test('its tool answers with the draught of its settings', async (t) => {
  const { run } = createToolbox(harbour.tools!(await selfOf(t, 6.5)))
  const context = { clock: systemClock, session: 's1', turn: 't1', signal: new AbortController().signal }
  const ask = (hour: unknown) => run({ toolCallId: 'c1', toolName: 'tide', input: { hour } }, context)
  assert.deepEqual(await ask(0), { ok: true, output: '7.00 m, deep enough' })
  assert.deepEqual(await ask(6.2), { ok: true, output: '1.00 m, too shallow' })
  assert.equal((await ask(30)).meta?.['failure'], 'invalid-input')
})

test('its layer is sent in the system text', async (t) => {
  const layers = await harbour.layers!(await selfOf(t, 2.1), {} as LayerContext)
  assert.deepEqual(
    layers.map(({ placement, renditions }) => [placement, renditions[0]!.text]),
    [['system', 'The boat draws 2.10 metres.']],
  )
})

test('its route is behind the guard, checked, and in the OpenAPI document', async (t) => {
  const routes = await harbour.http!.routes!(await selfOf(t, 1.8))
  const contributions = [{ name: 'harbour', routes }]
  const server = createServer(scriptedRuntime(), { token: TOKEN, bind: '127.0.0.1', version: '0', contributions })
  const get = async (path: string, token = TOKEN) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await server.fetch(new Request(`http://127.0.0.1:4141${path}`, { headers }))
    return [answer.status, (await answer.json()) as { code?: string; paths?: object }] as const
  }
  assert.deepEqual(await get('/api/harbour/tide?hour=0'), [200, { metres: 7 }])
  assert.equal((await get('/api/harbour/tide?hour=noon'))[0], 400)
  assert.equal((await get('/api/harbour/tide?hour=0', 'guessed'))[0], 401)
  assert.ok(Object.hasOwn((await get('/api/openapi.json'))[1].paths!, '/api/harbour/tide'))
})

test('its command and its check work without a gateway', async () => {
  const stdout = new PassThrough()
  const command = await harbour.commands!['tide']!()
  assert.equal(await command.run({ words: ['0'] } as unknown as CommandCall, { stdout } as unknown as Io), 0)
  assert.equal(String(stdout.read()), '7.00 m\n')
  const check = async (draught: number) => {
    const settings = harbour.settings!.schema.parse({ draught })
    const context = {
      settings,
      home: '/',
      workspace: '/workspace',
      environment: {},
      settingsOf: () => undefined,
      embedders: [],
      clock: systemClock,
      get: async () => undefined,
    }
    return (await harbour.checks!(context)).map(({ level }) => level)
  }
  assert.deepEqual([await check(1.8), await check(8)], [['ok'], ['warning']])
})

test('a home names its settings and its layout, with nothing installed', async (t) => {
  const { home } = temporaryHome(t)
  mkdirSync(home)
  const examples = join(import.meta.dirname, '../../examples')
  const files = ['06-own-capability.ts', '07-own-layout.ts']
  for (const file of files) copyFileSync(join(examples, file), join(home, file))
  const text = JSON.stringify({
    capabilities: files.map((file) => `./${file}`),
    harbour: { draught: 2.1 },
    context: { layout: 'logbook' },
  })
  const { configuration, problems, capabilities } = await loadConfiguration({
    home,
    environment: {},
    capabilities: [],
    read: () => Promise.resolve({ type: 'text', text }),
  })
  assert.deepEqual(problems, [])
  assert.deepEqual(
    capabilities.map(({ name }) => name),
    [harbour, logbook].map(({ name }) => name),
  )
  // The layout goes with its data, so that every call can be rebuilt from its record.
  assert.equal(layoutOf(configuration.context.layout).name, 'logbook')
})
