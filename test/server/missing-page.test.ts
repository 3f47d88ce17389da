import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOKEN } from './served.ts'
import { scriptedGateway } from './scripted-gateway.ts'

test('a browser that opens an unknown address gets a page with the way back, and a program gets JSON', async (t) => {
  const { url } = await scriptedGateway(t, undefined, () => ({}))
  const open = async (path: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } })
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const path of ['/nowhere', '/nowhere/below', '/s/abc', '/api/nowhere']) {
    const page = await open(path, browser)
    assert.deepEqual([page.status, page.type], [404, 'text/html; charset=utf-8'], path)
    assert.match(page.text, /There is no page at this address\..*<a href="\/">Back to the start<\/a>/)
    for (const headers of [{ accept: 'application/json' }, { accept: '*/*' }]) {
      const { status, text } = await open(path, headers)
      assert.deepEqual([status, JSON.parse(text).error.code], [404, 'not-found'], path)
    }
  }
  const german = await open('/nowhere', { ...browser, 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' })
  assert.match(german.text, /<html lang="de">.*Unter dieser Adresse gibt es keine Seite\..*href="\/"/)
  // What an endpoint does not find is its answer as ever, and nobody learns from the page without a token what there is.
  const session = await open('/api/sessions/none', browser)
  assert.equal(JSON.parse(session.text).error.code, 'not-found')
  const stranger = await fetch(`${url}/nowhere`, { headers: browser })
  assert.deepEqual([stranger.status, stranger.headers.get('content-type')], [401, 'text/html; charset=utf-8'])
  assert.match(await stranger.text(), /<h1>Not signed in<\/h1>/)
})
