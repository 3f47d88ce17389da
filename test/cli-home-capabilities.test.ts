import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

const light = `export default ({ home }) => ({
  name: 'light',
  slashCommands: { flash: { summary: 'shows a flash', shows: 'always', run: async ({ argument }) => 'flash ' + argument } },
  session: {
    light: {
      summary: 'The light of the session.',
      none: 'no light',
      check: async () => {},
      list: async () => [{ id: 'red' }, { id: 'green' }],
      preset: async (self, id) => ({ system: { text: 'The light is ' + id + '.', ref: id } }),
    },
  },
})`

function homeWithLight(t: TestContext) {
  const { home, environment } = temporaryHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'light.mjs'), light)
  writeFileSync(join(home, 'config.json'), '{"capabilities": ["./light.mjs"]}')
  return { environment }
}

test('an option of a capability of the home works without a running gateway, and names what there is', async (t) => {
  const { environment } = homeWithLight(t)
  const sent = await run(['send', '--light', 'red', '/system'], { environment })
  assert.deepEqual([sent.code, sent.stderr], [0, ''])
  const wrong = await run(['send', '--light', 'blue', 'Hello'], { environment })
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [1, 'foreword send: No light matches "blue".\n  Use one of red, green.\n'],
  )
})

test('the chat has the slash commands and the choices of the capabilities of the home', async (t) => {
  const { environment } = homeWithLight(t)
  const { code, stdout, stderr } = await run(['chat'], { environment, input: '/flash twice\n/light\n/help\n' })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^flash twice$/m)
  assert.match(stdout, /^ {2}\/flash +shows a flash$/m)
  assert.match(stdout, /^ {2}\/light /m)
})
