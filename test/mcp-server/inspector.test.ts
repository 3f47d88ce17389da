import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { outline } from '../../src/context.ts'
import { scriptedProvider } from '../../src/testing.ts'
import { openedHome } from '../home/opened-home.ts'
import { createTestServer } from '../home/test-server.ts'
import { listen } from '../../src/server.ts'
import { connected, kinds, type TestClient, ways } from './clients.ts'
import { mcpHome, TOKEN } from './mcp-home.ts'

const SECRET_WORDS = /canary/

/** The data of an answer, which the client has checked against the schema of the tool. */
async function asked(client: TestClient, name: string, input: object = {}) {
  const { envelope, texts, isError } = await client.call(name, input)
  assert.deepEqual(JSON.parse(texts[0]!), envelope)
  return { isError, text: texts[0]!, data: envelope.data as unknown as Answered, error: envelope.error }
}

interface Answered {
  readonly call: string
  readonly used: number
  readonly outline: string
  readonly sentences: readonly string[]
  readonly slots: Readonly<Record<string, number>>
  readonly entries: readonly {
    readonly tokens: number
    readonly usd?: number
    readonly outcome: string
    readonly why?: string
  }[]
  readonly cost: { readonly usd: number }
  readonly rows: readonly { readonly key: string | null; readonly usd: number; readonly calls: number }[]
  readonly total: { readonly usd: number; readonly calls: number }
  readonly since: string
}

for (const way of ways) {
  for (const kind of kinds) {
    test(`a ${kind} client over ${way} reads what a call was sent, in numbers, names and sentences, and no words`, async (t) => {
      const home = await mcpHome(t)
      const first = await home.say('/say canary-answer')
      const said = await home.say('canary-question', first.session)
      const [, record] = await home.runtime.store.calls(said.session)
      const client = await connected(t, home, kind, way)
      const { data, text } = await asked(client, 'context_of_call')
      assert.deepEqual([data.call, data.used, data.slots], [record!.id, record!.manifest.used, record!.manifest.slots])
      assert.equal(data.outline, outline(record!.manifest))
      assert.equal(
        data.entries.reduce((sum, { tokens }) => sum + tokens, 0),
        record!.manifest.used,
      )
      const explained = await asked(client, 'explain_last_call', { session: said.session })
      assert.match(explained.data.sentences.join('\n'), /Its prompt has [\d,]+ of [\d,]+ tokens/)
      assert.match(explained.data.sentences.join('\n'), /The conversation went on\./)
      const costs = await asked(client, 'costs', { by: 'session' })
      assert.deepEqual(
        costs.data.rows.map(({ key, calls }) => [key, calls]),
        [[said.session, 2]],
      )
      for (const each of [text, explained.text, costs.text]) assert.doesNotMatch(each, SECRET_WORDS)
    })
  }
}

test('an id or its beginning names a call, and what names none is an answer that says so', async (t) => {
  const home = await mcpHome(t)
  const client = await connected(t, home, 'v2 2026-07-28', 'http')
  const empty = await asked(client, 'explain_last_call')
  assert.deepEqual(
    [empty.isError, empty.error!.code, empty.error!.message],
    [true, 'not_found', 'There is no call yet.'],
  )
  const { session } = await home.say('One.')
  await home.say('Two.', session)
  const [one] = await home.runtime.store.calls(session)
  assert.equal((await asked(client, 'context_of_call', { call: one!.id })).data.call, one!.id)
  assert.equal((await asked(client, 'context_of_call', { call: one!.id.slice(0, -1) })).data.call, one!.id)
  for (const [input, code, words] of [
    [{ call: 'call_nowhere' }, 'not_found', /foreword calls/],
    [{ call: 'call_' }, 'invalid_input', /Several calls/],
    [{ call: 7 }, 'invalid_input', /call/],
    [{ session: 'nowhere' }, 'not_found', /nowhere/],
  ] as const) {
    const { error } = await asked(client, 'context_of_call', input)
    assert.equal(error!.code, code)
    assert.match(error!.message, words)
  }
  for (const input of [{ since: 'yesterday' }, { by: 'mood' }]) {
    assert.equal((await asked(client, 'costs', input)).error!.code, 'invalid_input')
  }
  assert.deepEqual((await asked(client, 'costs', { since: '2999-01-01' })).data.rows, [])
})

/** A home with a model that has a price, behind the endpoint for MCP clients. */
async function pricedHome(t: TestContext) {
  const provider = await scriptedProvider({
    answer: (_request, n) => ({
      text: `canary-answer ${n} ${'and so on '.repeat(150)}`,
      usage: { promptTokens: 1_000, cachedTokens: n === 1 ? 0 : 800, outputTokens: 100 },
    }),
  })
  t.after(() => provider.close())
  const opened = await openedHome(
    t,
    {},
    {
      model: 'mine/priced',
      providers: { mine: { kind: 'openai-compatible', baseURL: `${provider.url}/v1` } },
      models: { 'mine/priced': { window: 3_000, price: { input: 2, output: 10, cachedInput: 0.2 } } },
    },
  )
  const bind = '127.0.0.1'
  const log = { error: () => {} }
  const server = createTestServer(opened.runtime, { token: TOKEN, bind, version: '0.1.0', log })
  const listening = await listen(server, { port: 0, bind })
  t.after(() => listening.close({ graceMs: 1_000 }))
  return { ...opened, url: new URL('/mcp', listening.url) }
}

test('costs add up, to the entry, and the sentences say what the cache saved and what was left out', async (t) => {
  const home = await pricedHome(t)
  let session: string | undefined
  for (let turn = 0; turn < 8; turn++) session = (await home.say(`canary ${'why so? '.repeat(60)}`, session)).session
  const client = await connected(t, home, 'v2 2026-07-28', 'http')
  const { data } = await asked(client, 'context_of_call')
  // 200 fresh tokens at $2, 800 cached ones at $0.20 and 100 of the answer at $10 for a million.
  assert.ok(Math.abs(data.cost.usd - (200 * 2 + 800 * 0.2 + 100 * 10) / 1e6) < 1e-12)
  const entries = data.entries.reduce((sum, { usd = 0 }) => sum + usd, 0)
  assert.ok(Math.abs(entries + (100 * 10) / 1e6 - data.cost.usd) < 1e-9)
  assert.ok(data.entries.some(({ outcome, why }) => outcome === 'omitted' && /wanted/.test(why ?? '')))
  const words = (await asked(client, 'explain_last_call')).data.sentences.join('\n')
  assert.match(words, /It cost \$0\.001\d*: .* for what came from the cache/)
  assert.match(words, /The provider read 800 of 1,000 prompt tokens from its cache\. The cache saved \$0\.0014/)
  assert.match(words, /left out/)
  assert.doesNotMatch(words, SECRET_WORDS)
  const { rows, total } = (await asked(client, 'costs', { by: 'layer' })).data
  assert.ok(Math.abs(rows.reduce((sum, { usd }) => sum + usd, 0) - total.usd) < 1e-9)
})

test('each tool names the view, which is one page that reaches for nothing, and which no list has', async (t) => {
  const home = await mcpHome(t)
  const { client } = await connected(t, home, 'v2 2026-07-28', 'http')
  const { tools } = await client.listTools()
  const uri = 'ui://foreword/inspector'
  for (const name of ['context_of_call', 'costs', 'explain_last_call']) {
    const { _meta: meta } = tools.find((each) => each.name === name)!
    assert.deepEqual(meta, { ui: { resourceUri: uri } })
  }
  const [content] = (await client.readResource({ uri })).contents
  assert.equal(content!.mimeType, 'text/html;profile=mcp-app')
  const html = (content as { readonly text: string }).text
  assert.match(html, /^<!doctype html>/i)
  assert.doesNotMatch(html, /https?:|\bsrc=|\bhref=|url\(|@import|fetch\(|XMLHttpRequest|WebSocket|innerHTML|eval\(/)
  const { resources } = await client.listResources()
  assert.ok(resources.every((each) => !each.uri.startsWith('ui:')))
})

test('what the owner switched off is not offered and not answered', async (t) => {
  const home = await mcpHome(t, {
    files: { 'tool-access.json': JSON.stringify({ tools: { explain_last_call: { enabled: false } } }) },
  })
  const client = await connected(t, home, 'v2 2026-07-28', 'http')
  const { tools } = await client.client.listTools()
  assert.ok(!tools.some(({ name }) => name === 'explain_last_call'))
  assert.equal((await asked(client, 'explain_last_call')).error!.code, 'unavailable')
})
