import assert from 'node:assert/strict'
import {
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
import { setValue } from './edit.ts'
import { ConfigurationError } from './problem.ts'

const folder = mkdtempSync(join(tmpdir(), 'foreword-edit-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a key is changed, comments and everything else stay as they stand', async () => {
  const home = homeWith('{\n  // the office\n  "gateway": { "port": 5000 }, // free\n  "model": "a/b"\n}\n')
  await setValue({ home, key: 'gateway.port', value: 6000 })
  assert.equal(textIn(home), '{\n  // the office\n  "gateway": { "port": 6000 }, // free\n  "model": "a/b"\n}\n')
  await setValue({ home, key: 'model', value: undefined })
  assert.doesNotMatch(textIn(home), /model/)
  assert.match(textIn(home), /the office/)
})

test('a home without a file gets one that is for its owner alone', async () => {
  const home = join(folder, 'new', 'home')
  await setValue({ home, key: 'agent.maxSteps', value: 4 })
  assert.deepEqual(JSON.parse(textIn(home)), { agent: { maxSteps: 4 } })
  if (process.platform !== 'win32') assert.equal(statSync(join(home, 'config.json')).mode & 0o777, 0o600)
})

test('names with dots are understood in maps', async () => {
  const home = homeWith('{}')
  await setValue({ home, key: 'models.ollama/llama3.2.window', value: 4096 })
  await setValue({ home, key: 'models.ollama/llama3.2.price', value: { input: 0, output: 0 } })
  assert.deepEqual(JSON.parse(textIn(home)), {
    models: { 'ollama/llama3.2': { window: 4096, price: { input: 0, output: 0 } } },
  })
})

for (const [key, value, message] of [
  ['gateway.prot', 1, /gateway\.prot is not a key\. Did you mean gateway\.port\?/],
  ['gatway.port', 1, /Did you mean gateway\?/],
  ['gateway.port', 'high', /gateway\.port must be a number/],
  ['gateway.port', 70_000, /gateway\.port must be at most 65535/],
  ['providers.office.baseURL', 'http://localhost/v1', /providers\.office\.kind must be one of/],
  ['gateway.token', 'hush', /holds a secret.*FOREWORD_GATEWAY_TOKEN/],
  ['providers.cloud.apiKey', 'hush', /providers\.cloud\.apiKey is not a key|holds a secret/],
  ['providers.cloud.headers.Authorization', 'hush', /holds a secret.*apiKeyEnv/],
] as const) {
  test(`${key} = ${JSON.stringify(value)} is refused and changes nothing`, async () => {
    const before = '{\n  // mine\n}\n'
    const home = homeWith(before)
    await assert.rejects(setValue({ home, key, value }), (error) => {
      assert.ok(error instanceof ConfigurationError)
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /hush/)
      return true
    })
    assert.equal(textIn(home), before)
    assert.deepEqual(readdirSync(home), ['config.json'])
  })
}

test('one wrong key can be mended while another one is still wrong', async () => {
  const home = homeWith('{"gateway": {"port": "x"}, "agent": {"maxSteps": "y"}}')
  await setValue({ home, key: 'gateway.port', value: 5000 })
  assert.match(textIn(home), /"port": 5000/)
})

test('a file that is no JSON is left alone', async () => {
  const home = homeWith('{"gateway": ')
  await assert.rejects(setValue({ home, key: 'gateway.port', value: 1 }), /this is not JSON/)
  assert.equal(textIn(home), '{"gateway": ')
  // Said once, though two brackets are missing there.
  await assert.rejects(setValue({ home: homeWith('{"gateway": {'), key: 'gateway.port', value: 1 }), ({ problems }) => {
    assert.deepEqual(
      problems.map(({ message }: { message: string }) => message),
      ['this is not JSON: close brace expected'],
    )
    return true
  })
})

test('a link to a file elsewhere stays a link', { skip: process.platform === 'win32' }, async () => {
  const home = homeWith('{}')
  const elsewhere = join(home, 'dotfiles.json')
  writeFileSync(elsewhere, '{}')
  rmSync(join(home, 'config.json'))
  symlinkSync(elsewhere, join(home, 'config.json'))
  await setValue({ home, key: 'gateway.port', value: 5000 })
  assert.deepEqual(JSON.parse(readFileSync(elsewhere, 'utf8')), { gateway: { port: 5000 } })
})

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
