import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

const light = `export default ({ home }) => ({
  name: 'light',
  slashCommands: { flash: { summary: 'shows a flash', shows: 'always', run: async ({ argument }) => 'flash ' + argument } },
  sessions: { choices: {
    light: {
      summary: 'The light of the session.',
      none: 'no light',
      check: async () => {},
      list: async () => [{ id: 'red' }, { id: 'green' }],
      preset: async (self, id) => ({ system: { text: 'The light is ' + id + '.', ref: id } }),
    },
  } },
})`

function homeWithModule(t: TestContext, module: string) {
  const { home, environment } = temporaryHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'own.mjs'), module)
  writeFileSync(join(home, 'config.json'), '{"capabilities": ["./own.mjs"]}')
  return { environment }
}

const homeWithLight = (t: TestContext) => homeWithModule(t, light)

test('an option of a capability of the home works without a running gateway, and names what there is', async (t) => {
  const { environment } = homeWithLight(t)
  const sent = await run(['send', '--light', 'red', '/system'], { environment })
  assert.deepEqual([sent.code, sent.stderr], [0, ''])
  const wrong = await run(['send', '--light', 'blue', 'Hello'], { environment })
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [1, 'foreword send: No light matches "blue".\n  Use one of red, green, none.\n'],
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

test('`none` clears a choice of a session, and is no choice of a new one', async (t) => {
  const { environment } = homeWithLight(t)
  const lightAfter = async (...words: readonly string[]) => {
    const sent = await run(['send', '--json', ...words, 'Hello'], { environment })
    assert.equal(sent.code, 0, sent.stderr)
    const { sessionId } = JSON.parse(sent.stdout) as { readonly sessionId: string }
    const shown = await run(['sessions', 'show', sessionId, '--json'], { environment })
    const { session } = JSON.parse(shown.stdout) as { readonly session: { readonly light?: string } }
    return { sessionId, light: session.light }
  }
  const { sessionId, light: chosen } = await lightAfter('--light', 'red')
  assert.equal(chosen, 'red')
  assert.deepEqual(await lightAfter('--light', 'none', '--session', sessionId), { sessionId, light: undefined })
  assert.equal((await lightAfter('--light', 'none')).light, undefined)
  assert.equal((await run(['context', '--light', 'none'], { environment })).code, 0)
  const preview = await run(['context', sessionId, '--light', 'none'], { environment })
  assert.deepEqual(
    [preview.code, preview.stderr.split('\n')[0]],
    [2, 'foreword context: --light none has no preview in a session.'],
  )
})

const signal = `export default () => ({
  name: 'signal',
  commands: {
    signal: async () => ({
      name: 'signal', summary: 'fails', usage: ['signal'], words: { least: 0, most: 0 }, options: {},
      run: async () => { throw new Error('The lamp is broken.') },
    }),
  },
})`

test('a failure of a command of the home, and of its command line, names the command', async (t) => {
  const { environment } = homeWithModule(t, signal)
  const failed = await run(['signal'], { environment })
  assert.deepEqual([failed.code, failed.stderr], [1, 'foreword signal: The lamp is broken.\n'])
  const wrong = await run(['signal', '--loud'], { environment })
  assert.deepEqual([wrong.code, wrong.stderr.split(':')[0]], [2, 'foreword signal'])
  const unknown = await run(['sginla'], { environment })
  assert.match(unknown.stderr, /^foreword: Unknown command/)
})

test('a command of the home with the name of a command of Foreword is a problem of the configuration', async (t) => {
  const { environment } = homeWithModule(t, signal.replace('signal: async', 'send: async'))
  const { code, stderr } = await run(['send', 'Hello'], { environment })
  assert.equal(code, 1)
  assert.match(stderr, /the command send of signal is also a command of Foreword itself; give it another name/)
})

for (const [tool, owner] of [
  ['read_file', 'the capability workspace'],
  ['read_attachment', 'the capability files'],
  ['read_result', 'Foreword itself'],
]) {
  test(`a tool ${tool} of the home does not take the place of the built-in one`, async (t) => {
    const own = `export default {
      name: 'mine',
      tools: () => [{ name: '${tool}', description: 'Mine.', inputSchema: { type: 'object' }, run: async () => ({ ok: true, output: '' }) }],
    }`
    const { environment } = homeWithModule(t, own)
    const { code, stderr } = await run(['send', 'Hello'], { environment })
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `foreword send: The tool ${tool} of the capability mine is also a tool of ${owner}.\n` +
        '  Rename the tool, or remove one of its owners from `capabilities` or `plugins` in config.json.\n',
    )
  })
}
