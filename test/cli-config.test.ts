import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { configurationSchema } from '../src/runtime.ts'
import { tableInGuide, tableOfSchema } from './cli/configuration-table.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

test('config shows each value with where it comes from', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  writeFileSync(
    join(home, 'config.json'),
    '{\n  "agent": { "maxSteps": 5 },\n  "models": { "a/b.c": { "window": 9 } }\n}',
  )
  const ask = (...words: readonly string[]) => run(['config', ...words], { environment })
  assert.equal((await ask('get', 'agent.maxSteps')).stdout, '5  (config.json:2:14)\n')
  assert.equal((await ask('get', 'gateway.port')).stdout, '0  (FOREWORD_GATEWAY_PORT)\n')
  assert.equal((await ask('get', 'gateway.bind')).stdout, '127.0.0.1  (default)\n')
  assert.equal((await ask('get', 'models.a/b.c.window')).stdout, '9  (config.json:3:26)\n')
  const all = (await ask('get', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    all.filter(({ origin }) => origin !== 'default').map(({ key, origin }) => [key, origin]),
    [
      ['gateway.port', 'environment'],
      ['model', 'environment'],
      ['agent.maxSteps', 'file'],
      ['models.a/b.c.window', 'file'],
    ],
  )
})

test('config set writes what the key takes and leaves comments alone', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  const file = join(home, 'config.json')
  writeFileSync(file, '{\n  // ours\n  "agent": { "maxSteps": 5 }\n}\n')
  const ask = (...words: readonly string[]) => run(['config', ...words], { environment })
  assert.equal((await ask('set', 'agent.maxSteps', '7')).code, 0)
  assert.equal((await ask('set', 'skills.disabled', '["a"]')).code, 0)
  const shadowed = await ask('set', 'model', '123')
  assert.match(shadowed.stderr, /FOREWORD_MODEL is set and goes before the file/)
  const text = readFileSync(file, 'utf8')
  assert.match(text, /\/\/ ours/)
  assert.match(text, /"maxSteps": 7/)
  assert.match(text, /"model": "123"/)
  assert.equal((await ask('unset', 'agent.maxSteps')).code, 0)
  assert.equal((await ask('get', 'agent.maxSteps')).stdout, '12  (default)\n')
})

test('config set refuses an unknown key, a wrong value and a secret, and writes nothing', async (context) => {
  const { home, environment } = temporaryHome(context)
  const ask = (...words: readonly string[]) => run(['config', ...words], { environment })
  assert.match((await ask('set', 'gateway.prot', '1')).stderr, /Did you mean gateway\.port\?/)
  assert.match((await ask('set', 'gateway.port', 'many')).stderr, /must be a( whole)? number/)
  assert.match((await ask('set', 'gateway.token', 'secret-word')).stderr, /secret/)
  assert.equal((await ask('get', 'gateway.prot')).code, 1)
  assert.throws(() => readFileSync(join(home, 'config.json')))
})

test('a token that was configured is not shown', async (context) => {
  const { environment } = temporaryHome(context)
  for (const words of [['get'], ['get', 'gateway.token'], ['get', 'gateway'], ['get', '--json']]) {
    const { code, stdout } = await run(['config', ...words], {
      environment: { ...environment, FOREWORD_GATEWAY_TOKEN: 'hush-hush' },
    })
    assert.equal(code, 0)
    assert.ok(stdout.includes('(set)') && !stdout.includes('hush-hush'), words.join(' '))
  }
})

test('a header of a provider is shown by its name alone: it may carry a key', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  const headers = { 'X-Key': 'hush-hush' }
  const lab = { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1', headers }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ providers: { lab } }))
  for (const words of [['get'], ['get', 'providers'], ['get', 'providers.lab.headers'], ['get', '--json']]) {
    const { code, stdout } = await run(['config', ...words], { environment })
    assert.equal(code, 0)
    assert.ok(stdout.includes('(set)') && !stdout.includes('hush-hush'), words.join(' '))
  }
})

test('config tells its mistakes, schema and path', async (context) => {
  const { home, environment } = temporaryHome(context)
  mkdirSync(home)
  writeFileSync(join(home, 'config.json'), '{"nonsense": 1}')
  const shown = await run(['config'], { environment })
  assert.equal(shown.code, 1)
  assert.match(shown.stderr, /nonsense is not a key/)
  assert.deepEqual(
    JSON.parse((await run(['config', 'schema'], { environment })).stdout),
    JSON.parse(JSON.stringify(configurationSchema())),
  )
  assert.equal((await run(['config', 'path'], { environment })).stdout, `${join(home, 'config.json')}\n`)
})

test('the guide lists every key of the configuration as the schema has it', () => {
  const cells = (table: string) => table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const headless = (table: string) => cells(table).filter((row) => !row[1]?.startsWith('--'))
  assert.deepEqual(
    headless(tableInGuide()),
    headless(tableOfSchema()),
    'run `node --conditions=foreword-source test/cli/configuration-table.ts`',
  )
})

test('doctor is content with a fresh home and names what is wrong with its mend', async (context) => {
  const { home, environment } = temporaryHome(context)
  const fresh = await run(['doctor', '--json'], { environment })
  assert.equal(fresh.code, 0, fresh.stdout)
  const { findings } = JSON.parse(fresh.stdout) as { findings: { check: string; level: string; mend?: string }[] }
  const machine = ['node', 'home', 'permissions', 'configuration', 'store', 'disk', 'clock', 'port']
  assert.deepEqual(
    findings.map(({ check }) => check),
    [...machine, 'model', 'skills', 'policy', 'shell', 'audit'],
  )
  mkdirSync(join(home, 'data'), { recursive: true })
  chmodSync(join(home, 'data'), 0o755)
  writeFileSync(join(home, 'data', 'foreword.sqlite'), 'this is no database, however long it may be')
  writeFileSync(join(home, 'config.json'), '{"model": "nobody/knows"}', { mode: 0o600 })
  const { FOREWORD_MODEL: _, ...rest } = environment
  const broken = await run(['doctor'], { environment: rest })
  assert.equal(broken.code, 1)
  assert.match(broken.stdout, /^warning +permissions .*\n +Run `chmod go= /m)
  assert.match(broken.stdout, /^problem +store /m)
  assert.match(broken.stdout, /^problem +model +nobody\/knows cannot be used/m)
})
