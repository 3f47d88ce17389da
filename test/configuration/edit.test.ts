import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import * as fc from 'fast-check'
import { builtIn } from '../../src/foreword.ts'
import { configurationSchema } from '../../src/runtime.ts'
import { setValue } from '../../src/runtime/configuration/edit.ts'
import { findKeyPath } from '../../src/runtime/configuration/key.ts'
import { loadConfiguration } from '../../src/runtime/configuration/load.ts'
import { ConfigurationError } from '../../src/runtime/configuration/problem.ts'
import { systemClock } from '../../src/platform.ts'

const schema = configurationSchema(builtIn)

const folder = mkdtempSync(join(tmpdir(), 'foreword-edit-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('changing a key keeps comments and everything else', async () => {
  const home = homeWith('{\n  // the office\n  "gateway": { "port": 5000 }, // free\n  "model": "a/b"\n}\n')
  await setValue({ clock: systemClock, home, schema, key: 'gateway.port', value: 6000 })
  assert.equal(textIn(home), '{\n  // the office\n  "gateway": { "port": 6000 }, // free\n  "model": "a/b"\n}\n')
  await setValue({ clock: systemClock, home, schema, key: 'model', value: undefined })
  assert.doesNotMatch(textIn(home), /model/)
  assert.match(textIn(home), /the office/)
})

test('a home without a file gets one that is for its owner alone', async () => {
  const home = join(folder, 'new', 'home')
  await setValue({ clock: systemClock, home, schema, key: 'agent.maxSteps', value: 4 })
  assert.deepEqual(JSON.parse(textIn(home)), { agent: { maxSteps: 4 } })
  if (process.platform !== 'win32') assert.equal(statSync(join(home, 'config.json')).mode & 0o777, 0o600)
})

test('names with dots are understood in maps', async () => {
  const home = homeWith('{}')
  await setValue({ clock: systemClock, home, schema, key: 'models.ollama/llama3.2.window', value: 4096 })
  await setValue({
    clock: systemClock,
    home,
    schema,
    key: 'models.ollama/llama3.2.price',
    value: { input: 0, output: 0 },
  })
  assert.deepEqual(JSON.parse(textIn(home)), {
    models: { 'ollama/llama3.2': { window: 4096, price: { input: 0, output: 0 } } },
  })
})

for (const [key, value, message] of [
  ['gateway.prot', 1, /gateway\.prot is not a key\. Did you mean gateway\.port\?/],
  ['gatway.port', 1, /Did you mean gateway\?/],
  ['gateway.port', 'high', /gateway\.port must be a number/],
  ['gateway.port', 70_000, /gateway\.port must be at most 65535/],
  ['providers.office.baseURL', 'http://localhost/v1', /providers\.office\.kind is missing; it must be one of/],
  ['gateway.token', 'hush', /holds a secret.*FOREWORD_GATEWAY_TOKEN/],
  ['providers.cloud.apiKey', 'hush', /providers\.cloud\.apiKey is not a key|holds a secret/],
  ['providers.cloud.headers.Authorization', 'hush', /holds a secret.*apiKeyEnv/],
] as const) {
  test(`${key} = ${JSON.stringify(value)} is refused and changes nothing`, async () => {
    const before = '{\n  // mine\n}\n'
    const home = homeWith(before)
    await assert.rejects(setValue({ clock: systemClock, home, schema, key, value }), (error) => {
      assert.ok(error instanceof ConfigurationError)
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /hush/)
      return true
    })
    assert.equal(textIn(home), before)
    assert.deepEqual(
      readdirSync(home).filter((name) => name !== 'data'),
      ['config.json'],
    )
  })
}

test('one wrong key can be corrected while another one is still wrong', async () => {
  const home = homeWith('{"gateway": {"port": "x"}, "agent": {"maxSteps": "y"}}')
  await setValue({ clock: systemClock, home, schema, key: 'gateway.port', value: 5000 })
  assert.match(textIn(home), /"port": 5000/)
})

test('a file that is no JSON is left alone', async () => {
  const home = homeWith('{"gateway": ')
  await assert.rejects(
    setValue({ clock: systemClock, home, schema, key: 'gateway.port', value: 1 }),
    /this is not JSON/,
  )
  assert.equal(textIn(home), '{"gateway": ')
  // Said once, though two brackets are missing there.
  await assert.rejects(
    setValue({ clock: systemClock, home: homeWith('{"gateway": {'), schema, key: 'gateway.port', value: 1 }),
    ({ problems }) => {
      assert.deepEqual(
        problems.map(({ message }: { message: string }) => message),
        ['this is not JSON: close brace expected'],
      )
      return true
    },
  )
})

test('a link to a file elsewhere stays a link', { skip: process.platform === 'win32' }, async () => {
  const home = homeWith('{}')
  const elsewhere = join(home, 'dotfiles.json')
  writeFileSync(elsewhere, '{}')
  rmSync(join(home, 'config.json'))
  symlinkSync(elsewhere, join(home, 'config.json'))
  await setValue({ clock: systemClock, home, schema, key: 'gateway.port', value: 5000 })
  assert.deepEqual(JSON.parse(readFileSync(elsewhere, 'utf8')), { gateway: { port: 5000 } })
})

const keyValues = fc.constantFrom(
  ['gateway.port', 6000],
  ['gateway.allowedHosts', ['a.example', 'b.example']],
  ['skills.disabled', ['x']],
  ['models.a/b.c.window', 9000],
  ['agent.maxSteps', 3],
  ['model', 'a/b'],
) as fc.Arbitrary<readonly [string, unknown]>
const parts = fc.uniqueArray(
  fc.constantFrom(
    '"gateway": {"bind": "127.0.0.1", /* port */ "port": 5000}',
    '"gateway": {\n    // free\n    "port": 5000,\n  }',
    '"skills": {"disabled": ["a", "b"]}',
    '"skills": {"disabled": []}',
    '"models": {}',
    '"agent": {"maxSteps": 5 // few\n}',
    '"model": "rehearsal"',
  ),
  { selector: (part) => part.split(':')[0]! },
)

test('any configuration file can be changed and read again, with only that change', async () => {
  const separators = fc.constantFrom(', ', ',\n  ', ' // one, two\n  , ', ',\t/* "x": 1 */ ')
  const files = fc.tuple(parts, separators, fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
  await fc.assert(
    fc.asyncProperty(
      files,
      keyValues,
      fc.boolean(),
      async ([entries, between, eol, mark, comma], [key, value], sets) => {
        const body = entries.length === 0 ? '' : `\n  ${entries.join(between)}${comma ? ',' : ''}\n`
        const text = `${mark ? '\uFEFF' : ''}// mine\n{${body}}\n`.replaceAll('\n', eol)
        const home = homeWith(text)
        const before = await loadConfiguration({ home, environment: {}, capabilities: builtIn })
        await setValue({ clock: systemClock, home, schema, key, value: sets ? value : undefined })
        const then = await loadConfiguration({ home, environment: {}, capabilities: builtIn })
        assert.deepEqual(then.problems, [])
        assert.ok(textIn(home).startsWith(text.slice(0, text.indexOf('{'))))
        const path = findKeyPath(key, schema)!
        assert.deepEqual(without(then.configuration, path), without(before.configuration, path))
        if (sets) assert.deepEqual(at(then.configuration, path), value)
        assert.deepEqual(
          textIn(home)
            .match(/\r\n|\n/g)
            ?.filter((each) => each !== eol),
          [],
        )
      },
    ),
    { numRuns: 150 },
  )
})

test('a value at the path of a section is reported', async () => {
  const home = homeWith('{"gateway": 5}')
  await assert.rejects(
    setValue({ clock: systemClock, home, schema, key: 'gateway.port', value: 1 }),
    /gateway\.port gateway is not an object/,
  )
  assert.equal(textIn(home), '{"gateway": 5}')
})

test('a file is kept as readable for others as it was', { skip: process.platform === 'win32' }, async () => {
  const home = homeWith('{}')
  chmodSync(join(home, 'config.json'), 0o644)
  await setValue({ clock: systemClock, home, schema, key: 'gateway.port', value: 5000 })
  assert.equal(statSync(join(home, 'config.json')).mode & 0o777, 0o644)
})

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (found as Record<string, unknown> | undefined)?.[name], value)
}

/** The rest of a configuration; what would hold nothing but the key counts as not there. */
function without(value: unknown, [name, ...path]: readonly string[]): unknown {
  const { [name!]: own, ...rest } = value as Record<string, unknown>
  if (path.length === 0 || own === undefined) return rest
  const inner = without(own, path) as object
  return Object.keys(inner).length === 0 ? rest : { ...rest, [name!]: inner }
}

let homes = 0
function homeWith(text: string): string {
  const home = join(folder, `home-${homes++}`)
  mkdirSync(home)
  writeFileSync(join(home, 'config.json'), text)
  return home
}

function textIn(home: string): string {
  return readFileSync(join(home, 'config.json'), 'utf8')
}
