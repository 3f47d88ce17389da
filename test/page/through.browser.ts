import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import { startGateway, talkToken, type TestGateway } from '../through/gateway.ts'
import { startVendor } from '../through/vendor.ts'
import { closeBrowser, freePage } from './browser.ts'

after(closeBrowser)

/** A page that makes itself a token of the owner, where the browser runs it for the gateway. */
const HTML = `<title>before</title><script>
  document.title = 'ran'
  fetch('/api/tokens', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"stolen","scope":"admin"}',
  }).finally(() => (document.title = 'asked'))
</script>`

async function openTrap(t: TestContext) {
  const vendor = await startVendor(t, ({ url }, outgoing) => {
    const type = url.endsWith('js') ? 'text/javascript' : 'text/html'
    outgoing.writeHead(200, {
      'content-type': type,
      'service-worker-allowed': '/',
      'access-control-allow-origin': '*',
      'set-cookie': 'foreword_1=x; path=/',
    })
    outgoing.end(
      type === 'text/html' ? HTML : "globalThis.document && (document.title = 'ran'); globalThis.postMessage?.('ran')",
    )
  })
  const gateway = await startGateway(t, {
    providers: { trap: { kind: 'openai-compatible', baseURL: `${vendor.url}/v1` } },
  })
  /** What was asked for below the list of models, which the page asks for itself. */
  const asked = () => vendor.received.flatMap(({ url }) => (url.includes('/models/') ? [url] : []))
  return { asked, gateway, trap: `/through/@${await talkToken(gateway)}/trap/models` }
}

/** Opens the start link of the gateway at an address of it. */
async function signedIn(t: TestContext, { token }: TestGateway, url: string) {
  const page = await freePage(t)
  await page.goto(`${url}/?token=${token}`)
  return page
}

async function tokenNames({ url, token }: TestGateway): Promise<readonly string[]> {
  const answer = await fetch(`${url}/api/tokens`, { headers: { authorization: `Bearer ${token}` } })
  const { tokens } = (await answer.json()) as { tokens: readonly { name: string }[] }
  return tokens.map(({ name }) => name)
}

test('a browser opens no answer of a provider: neither as a page, a frame, a script nor a worker', async (t) => {
  const { asked, gateway, trap } = await openTrap(t)
  const page = await signedIn(t, gateway, gateway.url)
  const tries = await page.evaluate<readonly string[]>(`(async () => {
    const loaded = (name, fields) => new Promise((done) => {
      const element = Object.assign(document.createElement(name), fields)
      element.onload = () => done(name + ' loaded')
      element.onerror = () => done('refused')
      document.body.append(element)
    })
    const worker = (make) => new Promise((done) => {
      try {
        const made = make()
        ;(made.port ?? made).onmessage = () => done('a worker ran')
        made.onerror = () => done('refused')
      } catch { done('refused') }
    })
    return Promise.all([
      loaded('script', { src: '${trap}/a.js' }),
      loaded('img', { src: '${trap}/a' }),
      worker(() => new Worker('${trap}/a.js')),
      navigator.serviceWorker.register('${trap}/sw.js').then(() => 'registered', () => 'refused'),
    ])
  })()`)
  assert.deepEqual(tries, ['refused', 'refused', 'refused', 'refused'])
  const answer = await page.goto(`${gateway.url}${trap}/page`)
  assert.equal(answer?.status(), 403)
  assert.match((await answer?.text()) ?? '', /no browser may open them/)
  assert.deepEqual(asked(), [])
  assert.deepEqual(await tokenNames(gateway), ['editor'])
})

test('a page of a provider runs nothing even in a browser that does not say what it opens', async (t) => {
  const { asked, gateway, trap } = await openTrap(t)
  const older = await olderBrowsers(t, gateway.url)
  const page = await signedIn(t, gateway, older)
  const answer = await page.goto(`${older}${trap}/page`)
  assert.equal(answer?.status(), 200)
  assert.deepEqual(asked(), ['/v1/models/page'])
  assert.equal(await page.title(), 'before')
  assert.deepEqual(await tokenNames(gateway), ['editor'])
  assert.deepEqual(
    (await page.context().cookies()).map(({ name }) => name.replace(/\d+/, 'PORT')),
    ['foreword_PORT'],
  )
})

/** The gateway as a browser from before `sec-fetch` reaches it. */
async function olderBrowsers(t: TestContext, gateway: string): Promise<string> {
  const { hostname, port } = new URL(gateway)
  const server = createServer((incoming, outgoing) => {
    const headers = incoming.rawHeaders.filter((_, at, all) => !/^(?:sec-|upgrade-insecure)/i.test(all[at - (at % 2)]!))
    const onward = request({ hostname, port, method: incoming.method, path: incoming.url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
