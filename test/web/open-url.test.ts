import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { createDocumentReader, type DocumentReader } from '../../src/document.ts'
import { openUrlTool } from '../../src/capabilities/web-access/open-url.ts'
import { guardedFetch, pictures } from '../../src/capabilities/web-access/guarded-fetch.ts'
import { imageRoutes } from '../../src/capabilities/web-access/image-routes.ts'
import type { Route } from '../../src/capability.ts'
import { createToolbox, type ToolResult } from '../../src/tool.ts'
import { type Script, scriptedWeb } from './scripted-web.ts'
import { systemClock } from '../../src/platform.ts'

const address = '93.184.216.34'

test('pages are read with their links, and come as numbered results', async (t) => {
  const { open } = await opening(t, {
    '/one': {
      type: 'text/html',
      body: '<title>One</title>',
      headers: { 'last-modified': 'Sun, 01 Nov 2026 08:00:00 GMT' },
    },
    '/two': { body: 'two' },
  })
  const result = await open({ urls: ['http://a.example/one', 'http://a.example/two'] })
  assert.deepEqual(JSON.parse(outputOf(result)), {
    results: [
      {
        citation_id: 1,
        title: 'One',
        url: 'http://a.example/one',
        updated_at: '2026-11-01T08:00:00.000Z',
        content: 'page.html: <title>One</title>',
      },
      { citation_id: 2, title: 'http://a.example/two', url: 'http://a.example/two', content: 'page.plain: two' },
    ],
  })
  assert.deepEqual(result.meta?.['documents'], [
    {
      document: 'http://a.example/one',
      title: 'One',
      url: 'http://a.example/one',
      content: 'page.html: <title>One</title>',
      updated: '2026-11-01T08:00:00.000Z',
    },
    {
      document: 'http://a.example/two',
      title: 'http://a.example/two',
      url: 'http://a.example/two',
      content: 'page.plain: two',
    },
  ])
})

test('a single URL needs no list, and a duplicate URL is opened once', async (t) => {
  const { open, web } = await opening(t, { '/one': { body: 'one' } })
  const result = await open({
    url: 'http://a.example/one',
    urls: ['http://A.example/one#part', 'http://a.example./one'],
  })
  assert.deepEqual(
    documentsOf(result).map(({ document }) => document),
    ['http://a.example/one'],
  )
  assert.equal(web.requests.length, 1)
})

test('a redirect to another host is followed where the call may lead there, and one on the same host always', async (t) => {
  const web = await scriptedWeb({
    names: { 'a.example': [address], 'b.example': [address] },
    pages: {
      'http://a.example/here': { status: 302, location: '/there' },
      'http://a.example/there': { status: 302, location: 'http://b.example/x?y' },
      'http://b.example/x': { body: 'b' },
    },
  })
  t.after(() => web.close())
  const fetch = guardedFetch({ clock: systemClock, network: web.network })
  const { signal } = new AbortController()
  const targets: string[] = []
  const followed = await fetch('http://a.example/here', signal, (target) => targets.push(target) > 0)
  assert.deepEqual([followed.type, targets], ['fetched', ['http://b.example/x?y']])
  const stopped = await fetch('http://a.example/here', signal, () => false)
  assert.deepEqual(stopped, {
    type: 'failed',
    code: 'redirects',
    reason: 'it leads on to http://b.example/x?y, which is to be opened by itself',
  })
  assert.equal(web.requests.filter(({ url }) => url.startsWith('http://b.example')).length, 1)
})

test('an image is fetched by the same guard, and nothing that only claims to be one is answered', async (t) => {
  const gif = 'GIF89a\u0001\0\u0001\0'
  const { web } = await opening(t, {
    '/tide.gif': { type: 'image/gif', body: gif },
    '/page.gif': { type: 'image/gif', body: '<script>1</script>' },
    '/drawn.svg': { type: 'image/svg+xml', body: '<svg/>' },
    '/home': { status: 302, location: 'http://127.0.0.1/tide.gif' },
  })
  const [route] = imageRoutes(guardedFetch({ clock: systemClock, network: web.network, wanted: pictures }))
  const ask = async (path: string) => {
    const call = { body: { url: `http://a.example${path}` }, request: new Request('http://gateway') }
    return route!.handle(call as unknown as Parameters<Route['handle']>[0]) as Promise<Response>
  }
  const answer = await ask('/tide.gif')
  assert.equal(answer.headers.get('content-type'), 'image/gif')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(await answer.text(), gif)
  await assert.rejects(ask('/page.gif'), /This is no PNG, JPEG, GIF or WebP image/)
  await assert.rejects(ask('/drawn.svg'), /only PNG, JPEG, GIF and WebP images are shown/)
  await assert.rejects(ask('/home'), /127\.0\.0\.1 is no public address/)
})

test('what cannot be opened says why in its place, and the others are opened', async (t) => {
  const { open } = await opening(t, { '/one': { body: 'one' }, '/picture': { type: 'image/png', body: 'x' } })
  const urls = [
    'http://a.example/one',
    'http://a.example/picture',
    'http://127.0.0.1/',
    'nothing',
    'http://a.example/gone',
  ]
  const result = await open({ urls })
  assert.deepEqual(
    documentsOf(result).map(({ title, content }) => [title, content]),
    [
      ['http://a.example/one', 'page.plain: one'],
      [
        'http://a.example/picture',
        'This page could not be opened: it is image/png; only pages of text and PDF are read.',
      ],
      [
        'http://127.0.0.1/',
        'This page could not be opened: 127.0.0.1 is no public address, and only public ones are opened.',
      ],
      [
        'nothing',
        'This page could not be opened: it is not a whole URL; one begins with https:// or http:// and names a host.',
      ],
      ['http://a.example/gone', 'This page could not be opened: it was answered with 404 Not Found.'],
    ],
  )
})

test('a call that opens nothing has failed, and says of each page why', async (t) => {
  const { open } = await opening(t, {})
  assert.deepEqual(await open({ url: 'http://a.example/gone' }), {
    ok: false,
    error: 'could not open http://a.example/gone: it was answered with 404 Not Found',
  })
  assert.deepEqual(await open({ urls: ['http://a.example/gone', 'http://localhost/'] }), {
    ok: false,
    error: [
      'no page could be opened:',
      'http://a.example/gone: it was answered with 404 Not Found',
      'http://localhost/: localhost is a name of this machine or its network, and only public ones are opened',
    ].join('\n'),
  })
})

test('ten URLs are taken, more and none are refused in words', async (t) => {
  const { open, web } = await opening(t, { '/one': { body: 'one' } })
  const urls = (count: number) => Array.from({ length: count }, (_, index) => `http://a.example/one?${index}`)
  assert.equal(documentsOf(await open({ urls: urls(10) })).length, 10)
  assert.equal(web.requests.length, 10)
  for (const [input, error] of [
    [{ urls: urls(11) }, 'open_url takes at most 10 URLs in one call, not 11'],
    [{ urls: urls(10), url: 'http://a.example/' }, 'open_url takes at most 10 URLs in one call, not 11'],
    [{}, 'open_url needs "urls": 1 to 10 whole URLs'],
    [{ urls: [] }, 'open_url needs "urls": 1 to 10 whole URLs'],
  ] as const) {
    const refused = await open(input)
    assert.deepEqual([refused.ok, errorOf(refused)], [false, error])
  }
  for (const input of [{ url: 1 }, { urls: [1] }, { url: 'http://a.example/', more: 1 }]) {
    assert.match(errorOf(await open(input)), /^invalid input for open_url: /)
  }
  assert.equal(web.requests.length, 10)
})

test('of each page 15,000 characters are shown, and a longer one says how long it is', async (t) => {
  const { open } = await opening(t, {
    '/fits': { body: 'a'.repeat(15_000 - 'page.plain: '.length) },
    '/long': { body: '😀'.repeat(20_000) },
  })
  const [fits, long] = documentsOf(await open({ urls: ['http://a.example/fits', 'http://a.example/long'] }))
  assert.equal(fits!.content.length, 15_000)
  assert.ok(!fits!.content.includes('only its beginning'))
  assert.ok(long!.content.length <= 15_000 && long!.content.length > 14_990)
  assert.ok(long!.content.isWellFormed())
  assert.ok(long!.content.endsWith('😀\n[the page has 40,012 characters; only its beginning is shown]'))
})

test('in a turn a page is fetched once, also by concurrent calls, and the next turn fetches it again', async (t) => {
  const { open, web } = await opening(t, { '/one': { body: 'one' } })
  const input = { url: 'http://a.example/one' }
  await Promise.all([open(input), open(input), open(input)])
  await open(input)
  assert.equal(web.requests.length, 1)
  await open(input, { turn: 't2' })
  assert.equal(web.requests.length, 2)
  await open(input, { session: 's2' })
  assert.equal(web.requests.length, 3)
})

test('what failed is tried again when it is asked for again', async (t) => {
  const { open, web } = await opening(t, {})
  await open({ url: 'http://a.example/gone' })
  await open({ url: 'http://a.example/gone' })
  assert.equal(web.requests.length, 2)
})

test('a cancelled call does not cancel other calls', async (t) => {
  const pages: Record<string, NonNullable<Script['pages']>[string]> = { '/slow': { trick: 'no answer' } }
  const { open, web, script } = await opening(t, pages)
  const input = { url: 'http://a.example/slow' }
  const cancel = new AbortController()
  const first = open(input, { signal: cancel.signal })
  const second = open(input)
  while (web.requests.length === 0) await new Promise((resolve) => void setImmediate(resolve))
  script['http://a.example/slow'] = { body: 'quick' }
  cancel.abort()
  assert.deepEqual((await first).ok, false)
  assert.equal(documentsOf(await second)[0]!.content, 'page.plain: quick')
})

test('the final URL of a page is reported, and the document keeps the requested one', async (t) => {
  const { open } = await opening(t, {
    '/old': { status: 301, location: '/new#part' },
    '/new': { body: 'new' },
  })
  const [page] = documentsOf(await open({ url: 'http://a.example/old' }))
  assert.deepEqual([page!.document, page!.url], ['http://a.example/old', 'http://a.example/new'])
})

test('a page that cannot be read gives an error, and a failing reader affects nothing else', async (t) => {
  const pages = {
    '/broken': { body: 'broken' },
    '/empty': { body: '' },
    '/refused': { body: 'refused' },
    '/one': { body: 'one' },
  }
  const { open } = await opening(t, pages)
  const urls = Object.keys(pages).map((path) => `http://a.example${path}`)
  assert.deepEqual(
    documentsOf(await open({ urls })).map(({ content }) => content),
    [
      'This page could not be opened: its text could not be taken out of it.',
      'This page could not be opened: it is empty.',
      'This page could not be opened: it is encrypted.',
      'page.plain: one',
    ],
  )
})

test('its results come from the web, and it may be run again after a crash', () => {
  const { origin, idempotent, approval, timeoutMs } = openUrlTool({
    fetch: guardedFetch({ clock: systemClock }),
    readDocument: readSimply,
  })
  assert.deepEqual(
    { origin, idempotent, approval, timeoutMs },
    {
      origin: 'web',
      idempotent: true,
      approval: undefined,
      timeoutMs: 60_000,
    },
  )
})

test('real pages: an article keeps its links, character sets are read, and scripts say nothing', async (t) => {
  const reader = createDocumentReader({ clock: systemClock })
  t.after(() => reader.close())
  const paragraph = `<p>${'Sentences that make an article of it, one after another. '.repeat(12)}</p>`
  const article = `<html><head><title>Café</title></head><body><nav><a href="/menu">menu</a></nav><article><h1>Café</h1>
    ${paragraph}<p>See <a href="../next?a=1">the next one</a>.</p>${paragraph}</article><script>alert('no')</script></body></html>`
  const { open } = await opening(
    t,
    {
      '/deep/article': { type: 'text/html; charset=ISO-8859-1', body: Buffer.from(article, 'latin1') },
      '/data': { type: 'application/json', body: '{"a": "ä"}' },
      '/source': { type: 'text/plain', body: '<!doctype html><p>as it is</p>' },
    },
    reader.read,
  )
  const urls = ['http://a.example/deep/article', 'http://a.example/data', 'http://a.example/source']
  const [page, data, source] = documentsOf(await open({ urls }))
  assert.equal(page!.title, 'Café')
  assert.ok(page!.content.includes('[the next one](http://a.example/next?a=1)'), page!.content)
  assert.ok(!page!.content.includes('alert'))
  assert.equal(data!.content.trim(), '{"a": "ä"}')
  assert.equal(source!.content.trim(), '<!doctype html><p>as it is</p>')
})

/** A toolbox over pages of `a.example`, by their paths. */
async function opening(t: TestContext, paths: NonNullable<Script['pages']>, readDocument = readSimply) {
  const script = Object.fromEntries(Object.entries(paths).map(([path, page]) => [`http://a.example${path}`, page]))
  const web = await scriptedWeb({ names: { 'a.example': [address] }, pages: script })
  t.after(() => web.close())
  const box = createToolbox([
    openUrlTool({ fetch: guardedFetch({ clock: systemClock, network: web.network }), readDocument }),
  ])
  const open = (
    input: object,
    { session = 's1', turn = 't1', signal = new AbortController().signal } = {},
  ): Promise<ToolResult> =>
    box.run({ toolCallId: 'c1', toolName: 'open_url', input }, { clock: systemClock, session, turn, signal })
  return { open, web, script }
}

/** Says what it was given, in the place of a reader that starts a process. */
const readSimply: DocumentReader['read'] = async (request) => {
  const text = Buffer.from('bytes' in request ? request.bytes : []).toString('utf8')
  if (text === 'broken') throw new Error('the process is gone')
  if (text === 'refused')
    return { kind: 'unreadable', code: 'encrypted', reason: 'it is encrypted', mediaType: 'text/plain' }
  const title = /<title>(.*?)<\/title>/.exec(text)?.[1]
  return { kind: 'text', text: `${request.name}: ${text}`, mediaType: 'text/plain', ...(title && { title }) }
}

interface Found {
  readonly document: string
  readonly title: string
  readonly url: string
  readonly content: string
}

function documentsOf(result: ToolResult): readonly Found[] {
  assert.ok(result.ok, errorOf(result))
  return result.meta?.['documents'] as readonly Found[]
}

function outputOf(result: ToolResult): string {
  assert.ok(result.ok, errorOf(result))
  return result.output
}

function errorOf(result: ToolResult): string {
  return result.ok ? '' : result.error
}
