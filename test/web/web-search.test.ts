import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import { type WebTools, webTools } from '../../src/capabilities/web-access/web-tools.ts'
import type { SearchConfiguration } from '../../src/capabilities/web-access/search-services.ts'
import { createToolbox, type ToolResult } from '../../src/tool.ts'
import { type ScriptedPage, scriptedWeb } from './scripted-web.ts'
import { systemClock } from '../../src/platform.ts'

const address = '93.184.216.34'
const key = 'key-that-nobody-may-see'

const searxngPage = json({
  query: 'q',
  number_of_results: 0,
  results: [
    {
      url: 'https://one.example/a#part',
      title: ' One\n two ',
      content: 'An excerpt.',
      engine: 'some',
      score: 1.5,
      publishedDate: '2026-10-01T00:00:00',
    },
    { url: 'https://one.example/a', title: 'the same page', content: 'again', publishedDate: null },
    { url: 'https://two.example/b', title: '', content: null },
    { url: 'ftp://three.example/', title: 'no page of the web' },
    { url: 'https://name:word@four.example/', title: 'with a name' },
    { url: 'no URL', title: 'none' },
    { title: 'nothing' },
    null,
    'text',
  ],
})

test('SearXNG is asked for JSON, and its results are numbered documents with URLs', async (t) => {
  const { search, web } = await searching(
    t,
    { kind: 'searxng', baseURL: 'https://searx.example/deep' },
    {
      'https://searx.example/deep/search': searxngPage,
    },
  )
  const result = await search({ query: ' green tea & milk ' })
  assert.deepEqual(JSON.parse(result.ok ? result.output : ''), {
    results: [
      {
        citation_id: 1,
        title: 'One two',
        url: 'https://one.example/a',
        updated_at: new Date('2026-10-01T00:00:00').toISOString(),
        content: 'An excerpt.',
      },
      { citation_id: 2, title: 'https://two.example/b', url: 'https://two.example/b', content: '' },
    ],
  })
  assert.deepEqual(documentsOf(result)[0], {
    document: 'https://one.example/a',
    title: 'One two',
    url: 'https://one.example/a',
    content: 'An excerpt.',
    updated: new Date('2026-10-01T00:00:00').toISOString(),
    score: 1.5,
  })
  const [request] = web.requests
  assert.equal(request!.method, 'GET')
  assert.deepEqual(Object.fromEntries(new URL(request!.url).searchParams), { q: 'green tea & milk', format: 'json' })
})

test('Brave is given its key in its header, and its marked words come as plain ones', async (t) => {
  const { search, web } = await searching(
    t,
    { kind: 'brave' },
    {
      'https://api.search.brave.com/res/v1/web/search': json({
        type: 'search',
        query: { original: 'tea' },
        web: {
          type: 'search',
          results: [
            {
              title: 'Tea &amp; more',
              url: 'https://tea.example/',
              description: 'All about <strong>tea</strong> &#x27;and&#39; 1 &lt; 2, &amp;lt;',
              page_age: '2026-09-08T07:06:05',
            },
          ],
        },
      }),
    },
  )
  const result = await search({ query: 'tea', limit: 3 })
  assert.deepEqual(documentsOf(result), [
    {
      document: 'https://tea.example/',
      title: 'Tea & more',
      url: 'https://tea.example/',
      content: "All about tea 'and' 1 < 2, &lt;",
      updated: new Date('2026-09-08T07:06:05').toISOString(),
    },
  ])
  const [request] = web.requests
  assert.equal(request!.headers['x-subscription-token'], key)
  assert.deepEqual(Object.fromEntries(new URL(request!.url).searchParams), { q: 'tea', count: '3' })
})

test('Tavily is asked with POST, its key as a bearer token', async (t) => {
  const { search, web } = await searching(
    t,
    { kind: 'tavily', apiKeyEnv: 'SEARCH_KEY' },
    {
      'https://api.tavily.com/search': json({
        query: 'tea',
        answer: null,
        images: [],
        results: [{ title: 'Tea', url: 'https://tea.example/', content: 'About tea.', score: 0.9, raw_content: null }],
        response_time: '1.2',
      }),
    },
  )
  const result = await search({ query: 'tea', limit: 5 })
  assert.deepEqual(documentsOf(result), [
    { document: 'https://tea.example/', title: 'Tea', url: 'https://tea.example/', content: 'About tea.', score: 0.9 },
  ])
  const [request] = web.requests
  assert.equal(request!.method, 'POST')
  assert.equal(request!.headers.authorization, `Bearer ${key}`)
  assert.equal(request!.headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(request!.body), { query: 'tea', max_results: 5, search_depth: 'basic' })
})

test('no more results than asked for, and no text longer than it has to be', async (t) => {
  const results = Array.from({ length: 30 }, (_, index) => ({
    url: `https://one.example/${index}`,
    title: 't'.repeat(5000),
    content: '😀'.repeat(5000),
  }))
  const { search } = await searching(t, searxng, { 'https://searx.example/search': json({ results }) })
  assert.equal(documentsOf(await search({ query: 'q' })).length, 8)
  const found = documentsOf(await search({ query: 'q', limit: 20 }))
  assert.equal(found.length, 20)
  assert.ok(
    found.every(({ title, content }) => title.length <= 300 && content.length <= 2000 && content.isWellFormed()),
  )
})

test('nothing found is an answer, and an answer of another shape holds nothing', async (t) => {
  for (const body of [{ results: [] }, {}, [], null, 'text', { results: 'text' }, { web: null }]) {
    const { search } = await searching(t, searxng, { 'https://searx.example/search': json(body) })
    assert.deepEqual(await search({ query: 'q' }), { ok: true, output: 'Nothing was found. Try other words.' })
  }
})

for (const [page, words] of [
  [{ status: 401 }, 'it was answered with 401: the owner has to check the key in TAVILY_API_KEY'],
  [{ status: 403 }, 'it was answered with 403: the owner has to check the key in TAVILY_API_KEY'],
  [{ status: 429 }, 'it was answered with 429: too many searches, or none left; try later'],
  [{ status: 400 }, 'it was answered with 400: it does not take the question'],
  [{ status: 502 }, 'it was answered with 502: it has a fault of its own; try later'],
  [
    { status: 302, location: 'https://other.example/' },
    'it was answered with 302: it sends on to another address, which the owner has to configure',
  ],
  [{ status: 200, body: '<html>' }, 'its answer is no JSON'],
  [{ trick: 'gzip bomb' }, 'it is larger than 5,000,000 bytes'],
  [{ trick: 'nothing at all' }, 'the connection broke off (ECONNRESET)'],
] as const) {
  test(`an answer of ${JSON.stringify(page)} is reported in words, without the key`, async (t) => {
    const answer = { body: `the key is ${key}`, ...page }
    const { search, web } = await searching(t, { kind: 'tavily' }, { 'https://api.tavily.com/search': answer })
    const result = await search({ query: 'q' })
    assert.equal(result.ok, false)
    assert.ok(!JSON.stringify(result).includes(key))
    assert.equal(
      result.ok ? '' : result.error.replace(/\(E\w+\)$/, '(ECONNRESET)'),
      `Tavily could not be searched: ${words}`,
    )
    assert.equal(web.requests.length, 1)
  })
}

test('a SearXNG that gives no JSON says what its owner has to set', async (t) => {
  const { search } = await searching(t, searxng, { 'https://searx.example/search': { status: 403, body: '' } })
  assert.deepEqual(await search({ query: 'q' }), {
    ok: false,
    error:
      'SearXNG could not be searched: it was answered with 403: allow the format json in search.formats of its settings.yml',
  })
})

test('a search that is not answered ends', async (t) => {
  const { search } = await searching(
    t,
    searxng,
    { 'https://searx.example/search': { trick: 'no answer' } },
    { timeoutMs: 200 },
  )
  assert.deepEqual(await search({ query: 'q' }), {
    ok: false,
    error: 'SearXNG could not be searched: it was not answered within 200 ms',
  })
})

test('queries are words, not too many, and limits are small numbers', async (t) => {
  const { search, web } = await searching(t, searxng, {})
  for (const query of ['', '  ']) {
    assert.equal(errorOf(await search({ query })), 'web_search needs a "query": words to search for')
  }
  for (const input of [
    {},
    { query: 1 },
    { query: 'q'.repeat(401) },
    { query: 'q', limit: 21 },
    { query: 'q', limit: 0 },
  ]) {
    assert.match(errorOf(await search(input)), /^invalid input for web_search: /)
  }
  assert.equal(web.requests.length, 0)
})

test('a SearXNG on loopback is asked where its owner allows exactly that place, and no page is opened there', async (t) => {
  const web = await scriptedWeb({ pages: { 'http://127.0.0.1:8888/search': searxngPage } })
  t.after(() => web.close())
  const search = { kind: 'searxng', baseURL: 'http://127.0.0.1:8888' } as const
  const options = { clock: systemClock, search, environment: {}, readDocument, network: web.network }
  const allowed = webTools({ ...options, allowHosts: ['127.0.0.1:8888'] })
  assert.deepEqual([namesOf(allowed), allowed.warnings], [['web_search', 'open_url'], []])
  assert.equal(documentsOf(await run(allowed, 'web_search', { query: 'q' })).length, 2)
  assert.deepEqual(web.connected, ['127.0.0.1:8888'])
  const opened = await run(allowed, 'open_url', { url: 'http://127.0.0.1:8888/search' })
  assert.equal(errorOf(opened), 'could not open http://127.0.0.1:8888/search: port 8888 is not opened, only 80 and 443')
  assert.deepEqual(web.connected, ['127.0.0.1:8888'])

  const refused = webTools({ ...options, allowHosts: ['127.0.0.1:9999', '127.0.0.2:8888', 'localhost:8888'] })
  assert.deepEqual(namesOf(refused), ['open_url'])
  assert.deepEqual(refused.warnings, [
    'web.search.baseURL: port 8888 is not opened, only 80 and 443; where you trust it, put 127.0.0.1:8888 into web.allowHosts',
  ])
})

test('over the real network too: its own SearXNG is reached by address and by name, and by nothing else', async (t) => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(searxngPage.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  for (const host of ['127.0.0.1', 'localhost']) {
    const search = { kind: 'searxng', baseURL: `http://${host}:${port}` } as const
    const plugin = webTools({
      clock: systemClock,
      search,
      allowHosts: [`${host}:${port}`],
      environment: {},
      readDocument,
    })
    assert.equal(documentsOf(await run(plugin, 'web_search', { query: 'q' })).length, 2)
    assert.equal((await run(plugin, 'open_url', { url: `http://${host}:${port}/` })).ok, false)
  }
})

test('a provider whose name leads inside is asked only where its owner allows it', async (t) => {
  const web = await scriptedWeb({
    names: { 'searx.example': ['10.0.0.5'] },
    pages: { 'http://searx.example/search': searxngPage },
  })
  t.after(() => web.close())
  const search = { kind: 'searxng', baseURL: 'http://searx.example' } as const
  const options = { clock: systemClock, search, environment: {}, readDocument, network: web.network }
  const refused = await run(webTools(options), 'web_search', { query: 'q' })
  assert.match(errorOf(refused), /searx\.example leads to an address that is not public/)
  assert.deepEqual(web.connected, [])
  const allowed = await run(webTools({ ...options, allowHosts: ['SEARX.example:80'] }), 'web_search', { query: 'q' })
  assert.equal(allowed.ok, true)
  assert.deepEqual(web.connected, ['10.0.0.5:80'])
})

for (const [search, environment, warnings] of [
  [{ kind: 'searxng' }, {}, ['web.search.baseURL is missing: SearXNG has no usual address']],
  [
    { kind: 'searxng', baseURL: 'searx.example' },
    {},
    ['web.search.baseURL: it is not a whole URL; one begins with https:// or http:// and names a host'],
  ],
  [
    { kind: 'searxng', baseURL: `https://user:${key}@searx.example/` },
    {},
    ['web.search.baseURL: it has a name or password before its host; leave them out'],
  ],
  [{ kind: 'brave' }, {}, ['web.search.apiKeyEnv: the environment variable BRAVE_API_KEY is not set']],
  [
    { kind: 'tavily', apiKeyEnv: 'MINE' },
    { MINE: ' ' },
    ['web.search.apiKeyEnv: the environment variable MINE is not set'],
  ],
  [
    { kind: 'tavily' },
    { TAVILY_API_KEY: `${key}\r\nx: y` },
    ['web.search.apiKeyEnv: what TAVILY_API_KEY holds cannot be a key of Tavily'],
  ],
  [
    { kind: 'brave', baseURL: 'http://brave.example/' },
    { BRAVE_API_KEY: key },
    ['web.search.baseURL: a key is sent there, so it has to begin with https://'],
  ],
] as const) {
  test(`${JSON.stringify(search).replace(key, '…')} is not offered, and says: ${warnings[0]}`, () => {
    const plugin = webTools({ clock: systemClock, search, environment, readDocument })
    assert.deepEqual([namesOf(plugin), plugin.warnings], [['open_url'], warnings])
  })
}

test('settings without effect are reported', () => {
  const plugin = webTools({
    clock: systemClock,
    search: { kind: 'searxng', baseURL: 'https://searx.example', apiKeyEnv: 'MINE' },
    allowHosts: ['searx.lan', 'http://a.example:1', '[::1]:8888'],
    environment: {},
    readDocument,
  })
  assert.deepEqual(namesOf(plugin), ['web_search', 'open_url'])
  assert.deepEqual(plugin.warnings, [
    'web.allowHosts: searx.lan is no host with its port, such as 127.0.0.1:8888',
    'web.allowHosts: http://a.example:1 is no host with its port, such as 127.0.0.1:8888',
    'web.search.apiKeyEnv: SearXNG takes no key, so leave it out',
  ])
})

test('without a provider there is no web_search, and the words about the web name no tool', () => {
  const plugin = webTools({ clock: systemClock, environment: {}, readDocument })
  assert.deepEqual(namesOf(plugin), ['open_url'])
  const skill = plugin.block
  assert.equal(skill.id, 'web')
  assert.ok(!/open_url|web_search/.test(skill.promptBlock))
})

const searxng: SearchConfiguration = { kind: 'searxng', baseURL: 'https://searx.example' }

async function searching(
  t: TestContext,
  search: SearchConfiguration,
  pages: Readonly<Record<string, ScriptedPage>>,
  limits: { readonly timeoutMs?: number } = {},
) {
  const hosts = ['searx.example', 'api.search.brave.com', 'api.tavily.com', 'other.example']
  const web = await scriptedWeb({ names: Object.fromEntries(hosts.map((host) => [host, [address]])), pages })
  t.after(() => web.close())
  const environment = { BRAVE_API_KEY: key, TAVILY_API_KEY: key, SEARCH_KEY: key }
  const plugin = webTools({ clock: systemClock, search, environment, readDocument, network: web.network, ...limits })
  assert.deepEqual(plugin.warnings, [])
  return { search: (input: object) => run(plugin, 'web_search', input), web }
}

function run(plugin: WebTools, toolName: string, input: object): Promise<ToolResult> {
  const box = createToolbox(plugin.block.tools)
  const context = { clock: systemClock, session: 's1', turn: 't1', signal: new AbortController().signal }
  return box.run({ toolCallId: 'c1', toolName, input }, context)
}

function namesOf(plugin: WebTools): readonly string[] {
  return plugin.block.tools.map(({ name }) => name)
}

async function readDocument() {
  return { kind: 'text', text: 'text', mediaType: 'text/plain' } as const
}

function json(body: unknown): ScriptedPage {
  return { type: 'application/json', body: JSON.stringify(body) }
}

interface Found {
  readonly document: string
  readonly title: string
  readonly content: string
}

function documentsOf(result: ToolResult): readonly Found[] {
  assert.ok(result.ok, errorOf(result))
  return result.meta?.['documents'] as readonly Found[]
}

function errorOf(result: ToolResult): string {
  return result.ok ? '' : result.error
}
