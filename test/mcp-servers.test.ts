import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { keys, realGateway } from './end-to-end/gateway.ts'
import { openMcpHome } from './mcp/mcp-home.ts'

interface Listed {
  readonly name: string
  readonly state: string
  readonly why?: string
  readonly hint?: string
  readonly stderr: readonly string[]
  readonly warnings: readonly string[]
  readonly tools: readonly { readonly name: string; readonly tokens: number; readonly digest: string }[]
}

interface List {
  readonly digest: string
  readonly servers: readonly Listed[]
}

const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }

async function home(t: TestContext, servers: Readonly<Record<string, object>> = {}) {
  const gateway = await realGateway(t, {}, { mcp: { servers } })
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${gateway.url}/api/mcp-servers${path}`, {
      method,
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
  const list = async (): Promise<List> => JSON.parse((await send('GET', '')).text) as List
  /** The server once it is in this state. */
  const inState = async (name: string, state: string): Promise<Listed> => {
    for (let attempt = 0; ; attempt++) {
      const found = (await list()).servers.find((each) => each.name === name)
      if (found?.state === state) return found
      assert.ok(attempt < 400, `${name} is ${JSON.stringify(found)}`)
      await wait(50)
    }
  }
  const file = join(gateway.home, 'config.json')
  return { gateway, send, list, inState, file, config: () => readFileSync(file, 'utf8') }
}

function scriptedServers(t: TestContext) {
  const made = openMcpHome()
  t.after(() => made.close())
  return made
}

test('a server is listed with how it is, its tools, their tokens and digests, and what it wrote', async (t) => {
  const { configured } = scriptedServers(t).scripted('good', { tools: [LOOK], says: 'ready to look' })
  const { inState } = await home(t, { good: configured })
  const { tools, stderr } = await inState('good', 'running')
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['good__look'],
  )
  assert.ok(tools[0]!.tokens > 5)
  assert.match(tools[0]!.digest, /^[\da-f]{64}$/)
  assert.deepEqual(stderr, ['ready to look'])
})

test('a server that does not start says why, and what to do about it', async (t) => {
  const { inState } = await home(t, {
    none: { command: '/nowhere/no-such-program' },
    off: { command: 'x', enabled: false },
  })
  const { why, hint } = await inState('none', 'failed')
  assert.match(why!, /there is no program/)
  assert.match(hint!, /Install the program/)
  await inState('off', 'disabled')
})

test('a server that dies says its last words, and runs again after a restart', async (t) => {
  const made = scriptedServers(t)
  const server = made.scripted('weak', { tools: [{ ...LOOK, does: 'crash' }] })
  const { gateway, inState, send } = await home(t, { weak: server.configured })
  await inState('weak', 'running')
  await send('POST', '/weak/restart')
  assert.equal(server.log().filter((line) => line.startsWith('started')).length, 2)
  writeFileSync(join(gateway.home, 'tool-access.json'), '{"global": {"mode": "full"}}')
  await gateway.foreword('accept', '--all', '--yes')
  const { digest } = await gateway.curl<{ readonly digest: string }>('/api/tools/weak__look/plan', { input: {} })
  await gateway.curl('/api/tools/weak__look/run', { input: {}, digest }).catch(() => {})
  const { why, stderr } = await inState('weak', 'failed')
  assert.match(why!, /ended with code 3; its last words: cannot go on/)
  assert.deepEqual(stderr, ['cannot go on'])
  const restarted = JSON.parse((await send('POST', '/weak/restart')).text) as Listed
  assert.equal(restarted.state, 'running')
})

test('a server is added, changed, removed and put back while the gateway runs', async (t) => {
  const made = scriptedServers(t)
  const { send, list, inState, config, gateway, file } = await home(t)
  writeFileSync(file, config().replace('{', '{ // mine\n'))
  const first = made.scripted('first', { tools: [LOOK] })
  const change = { name: 'first', server: first.configured }
  const preview = JSON.parse((await send('POST', '/preview', change)).text) as {
    readonly digest: string
    readonly difference: string
  }
  assert.match(preview.difference, /^\+.*"first"/m)
  assert.equal((await list()).servers.length, 0)
  assert.equal((await send('PUT', '', { ...change, digest: preview.digest })).status, 200)
  await inState('first', 'running')
  assert.match(config(), /\/\/ mine/)
  const names = async () =>
    (await gateway.curl<{ readonly tools: readonly { readonly name: string }[] }>('/api/tools')).tools.map(
      ({ name }) => name,
    )
  assert.ok((await names()).includes('first__look'))

  const second = made.scripted('second', { tools: [LOOK] })
  const both = { name: 'second', server: second.configured, digest: (await list()).digest }
  assert.equal((await send('PUT', '', both)).status, 200)
  await inState('second', 'running')
  assert.equal(first.log().filter((line) => line.startsWith('started')).length, 1, 'the other one goes on')
  await send('PUT', '', { name: 'second', server: null, digest: (await list()).digest })

  const { digest } = await list()
  assert.equal((await send('PUT', '', { name: 'first', server: null, digest })).status, 200)
  assert.deepEqual((await list()).servers, [])
  assert.ok(!(await names()).includes('first__look'))

  const { versions } = JSON.parse((await send('GET', '/versions')).text) as {
    readonly versions: readonly { readonly version: number; readonly text: string }[]
  }
  assert.deepEqual(
    versions.map(({ text }) => Object.keys(JSON.parse(text) as object)),
    [[], ['first'], ['first', 'second'], ['first'], []],
  )
  await send('PUT', '', { version: versions[1]!.version, digest: (await list()).digest })
  await inState('first', 'running')
  assert.ok((await names()).includes('first__look'))
})

test('what does not fit is not written, and names the key; a file that was changed meanwhile is not overwritten', async (t) => {
  const { send, list, config, file } = await home(t)
  const before = config()
  const { digest } = await list()
  const wrong = await send('PUT', '', { name: 'x', server: { comand: 'ls' }, digest })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /mcp\.servers\.x\.comand is not a key/)
  const odd = await send('POST', '/preview', {
    name: 'x',
    server: { command: 'ls', environment: { A: 'NOT_SET_HERE' } },
  })
  assert.match(odd.text, /the environment variable NOT_SET_HERE is not set/)
  assert.equal(config(), before)
  writeFileSync(file, `${before}\n`)
  const late = await send('PUT', '', { name: 'x', server: { command: 'ls' }, digest })
  assert.equal(late.status, 409)
  assert.match(late.text, /changed/)
})

test('the value of a variable is never shown, also where the server writes it', async (t) => {
  const secret = keys.SCRIPTED_OPENAI_KEY
  const { configured } = scriptedServers(t).scripted('chatty', { tools: [LOOK], says: `my key is ${secret}` })
  const { send, inState } = await home(t, {
    chatty: { ...configured, environment: { KEY: 'SCRIPTED_OPENAI_KEY' } },
  })
  const { stderr } = await inState('chatty', 'running')
  assert.deepEqual(stderr, ['my key is [SCRIPTED_OPENAI_KEY]'])
  const { text } = await send('GET', '')
  assert.ok(!text.includes(secret))
})
