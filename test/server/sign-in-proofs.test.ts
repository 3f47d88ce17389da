import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieBrowser } from './cookie-browser.ts'
import { SECRET } from './openid-provider.ts'
import { TOKEN } from './served.ts'
import { signInGateway } from './sign-in-gateway.ts'

test('an answer of the provider with another nonce is refused', async (t) => {
  const { base, cookieName, noted } = await signInGateway(t)
  const browser = cookieBrowser()
  const begun = await browser.get(`${base}/sign-in`)
  const asked = new URL(begun.headers.get('location')!)
  asked.searchParams.set('nonce', 'a-nonce-of-somebody-else')
  const { response } = await browser.follow(asked.href)
  assert.equal(response.status, 401)
  assert.ok(!browser.cookies.has(cookieName))
  assert.match(noted.join(), /nonce/)
})

test('a token that the provider made for another client is refused', async (t) => {
  const { base, provider, cookieName, noted, changeAnswers } = await signInGateway(t)
  const browser = cookieBrowser()
  const begun = await browser.get(`${base}/sign-in`)
  const asked = new URL(begun.headers.get('location')!)
  // The other client has the same person sign in, with this very nonce.
  const verifier = 'a-proof-of-the-other-client-that-is-long-enough'
  const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url')
  const theirs = new URL(asked)
  theirs.searchParams.set('client_id', 'other')
  theirs.searchParams.set('code_challenge', challenge)
  const { address } = await cookieBrowser().follow(theirs.href, (next) => next.startsWith(base))
  const exchanged = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`other:${SECRET}-of-the-other`).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(address).searchParams.get('code')!,
      redirect_uri: `${base}/sign-in/done`,
      code_verifier: verifier,
    }),
  })
  const text = await exchanged.text()
  assert.equal(exchanged.status, 200, text)
  changeAnswers(async (path, response) =>
    path.endsWith('/token') ? new Response(text, { headers: exchanged.headers }) : response,
  )
  const { response } = await browser.follow(asked.href)
  assert.equal(response.status, 401)
  assert.ok(!browser.cookies.has(cookieName))
  assert.match(noted.join(), /aud/)
})

test('a token that was changed is refused, and one that is not signed at all', async (t) => {
  const { base, listed, changeAnswers } = await signInGateway(t, { claimsInToken: true })
  const changed = (change: (header: object, claims: object) => readonly [object, object], keepsSignature: boolean) =>
    changeAnswers(async (path, response) => {
      if (!path.endsWith('/token')) return response
      const body = (await response.json()) as { id_token: string }
      const [header = '', claims = '', signature = ''] = body.id_token.split('.')
      const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object
      const parts = change(read(header), read(claims)).map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      )
      return Response.json({ ...body, id_token: [...parts, keepsSignature ? signature : ''].join('.') })
    })
  changed((header, claims) => [header, { ...claims, email: 'owner@reef.example' }], true)
  assert.equal((await cookieBrowser().follow(`${base}/sign-in`)).response.status, 401)
  changed((header, claims) => [{ ...header, alg: 'none' }, claims], false)
  assert.equal((await cookieBrowser().follow(`${base}/sign-in`)).response.status, 401)
  assert.deepEqual(listed(), [])
})

test('an expired token is refused, and clocks may differ by a minute', async (t) => {
  const { base, provider, noted } = await signInGateway(t)
  provider.behindSeconds = 3_600 + 30
  assert.equal((await cookieBrowser().follow(`${base}/sign-in`, (next) => next === `${base}/`)).address, `${base}/`)
  provider.behindSeconds = 3_600 + 90
  assert.equal((await cookieBrowser().follow(`${base}/sign-in`)).response.status, 401)
  assert.match(noted.join(), /unexpected JWT .+exp/)
})

test('while the provider is down a page says so, tokens work, and sign-ins work again afterwards', async (t) => {
  const { base, provider } = await signInGateway(t)
  const browser = cookieBrowser()
  await provider.down()
  const refused = await browser.follow(`${base}/sign-in`)
  assert.equal(refused.response.status, 502)
  assert.match(refused.text, /The sign-in provider does not work: 127\.0\.0\.1:\d+ cannot be reached\./)
  const program = await fetch(`${base}/sign-in`)
  assert.deepEqual(
    [program.status, ((await program.json()) as { error: { code: string } }).error.code],
    [502, 'sign-in-unavailable'],
  )
  const status = await fetch(`${base}/api/status`, { headers: { authorization: `Bearer ${TOKEN}` } })
  assert.equal(status.status, 200)
  await provider.up()
  const { address } = await browser.follow(`${base}/sign-in`, (next) => next.startsWith(base))
  await provider.down()
  assert.equal((await browser.follow(address)).response.status, 502)
  await provider.up()
  assert.equal((await browser.follow(`${base}/sign-in`, (next) => next === `${base}/`)).address, `${base}/`)
})

test('an answer of the provider that is too large, leads elsewhere or leaves https is not read on', async (t) => {
  const { base, provider, requests, changeAnswers } = await signInGateway(t)
  const discovery = '/.well-known/openid-configuration'
  const refused = async (why: RegExp) => {
    const { response, text } = await cookieBrowser().follow(`${base}/sign-in`, (next) =>
      next.startsWith(provider.issuer),
    )
    assert.equal(response.status, 502)
    assert.match(text, why)
  }
  changeAnswers(async () => new Response(new Uint8Array(1024 * 1024 + 1)))
  await refused(/its answer is too large/)
  changeAnswers(async () => Response.redirect(`${provider.issuer}/elsewhere`, 302))
  await refused(/what it says of itself is not valid/)
  changeAnswers(async () =>
    Response.json({ issuer: 'https://other.example', authorization_endpoint: 'https://other.example' }),
  )
  await refused(/what it says of itself is not valid/)
  changeAnswers(async () => new Response('busy', { status: 503 }))
  await refused(/answered with 503/)
  assert.deepEqual(new Set(requests), new Set([discovery]))
  changeAnswers(async (path, response) =>
    path.endsWith(discovery)
      ? Response.json({ ...((await response.json()) as object), token_endpoint: 'http://elsewhere.example/token' })
      : response,
  )
  const { response, text } = await cookieBrowser().follow(`${base}/sign-in`)
  assert.equal(response.status, 502)
  assert.match(text, /it names elsewhere\.example without https/)
})

test('where a browser goes at the end is a path of the gateway, whatever it asked for', async (t) => {
  const { base } = await signInGateway(t)
  for (const [asked, reached] of [
    ['/sessions/s1', '/sessions/s1'],
    ['/settings/../sessions/s1', '/sessions/s1'],
    ['/%2F/evil.example', '/%2F/evil.example'],
    ['/?token=a-token-of-somebody-else', '/'],
    ['https://evil.example/', '/'],
    ['//evil.example', '/'],
    ['///evil.example', '/'],
    ['/\\evil.example', '/'],
    ['\\\\evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/a/..//evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['\u0000//evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['http:evil.example', '/'],
    ['http://gateway.invalid//evil.example', '/'],
    ['/sign-in', '/'],
    [`/${'a'.repeat(2_000)}`, '/'],
  ] as const) {
    const browser = cookieBrowser()
    const { address } = await browser.follow(`${base}/sign-in?to=${encodeURIComponent(asked)}`, (next) =>
      next.startsWith(`${base}/sign-in/done`),
    )
    const done = await browser.get(address)
    assert.deepEqual([done.status, done.headers.get('location')], [303, reached], asked)
  }
})

test('behind a proxy the provider sends browsers to the public address, and cookies are for https alone', async (t) => {
  const publicUrl = 'https://foreword.example.com'
  const { base, provider } = await signInGateway(t, { publicUrl })
  const browser = cookieBrowser()
  const viaProxy = (path: string) => browser.get(`${base}${path}`, { headers: { 'x-forwarded-proto': 'https' } })
  const begun = await viaProxy('/sign-in')
  const { address } = await browser.follow(begun.headers.get('location')!, (next) => next.startsWith(publicUrl))
  assert.ok(address.startsWith(`${publicUrl}/sign-in/done?code=`))
  const done = await viaProxy(address.slice(publicUrl.length))
  assert.equal(done.status, 303)
  assert.ok([begun, done].every((each) => each.headers.getSetCookie().every((cookie) => cookie.endsWith('; Secure'))))
  assert.equal(provider.login, 'ann')
})

test('those who come back wrongly again and again wait or are refused, others do not, and nothing of it is in the log', async (t) => {
  const { base, audit, noted, settle } = await signInGateway(t)
  const wrong = Array.from({ length: 12 }, async () => {
    const address = `${base}/sign-in/done?code=a-code-of-nobody&state=x`
    const response = await fetch(address, { headers: { accept: 'text/html' } })
    assert.equal(response.status, 429)
    return response.text()
  })
  assert.match(
    await Promise.any(wrong),
    /Too many failed sign-ins: \d+ from your address, each within a minute of the one before\.<\/p><p>Try again in \d+ s\./,
  )
  assert.equal((await cookieBrowser().follow(`${base}/sign-in`, (next) => next === `${base}/`)).address, `${base}/`)
  await settle()
  assert.deepEqual(noted, [])
  assert.match((await audit()).at(-1)!, /^12 failed sign-ins from 127\.0\.0\.1, first /)
})

test('a program that asks is answered with a code', async (t) => {
  const { base, provider } = await signInGateway(t, { openid: { allow: { emails: ['nobody@reef.example'] } } })
  const codeOf = async (response: Response) =>
    ((await response.json()) as { readonly error: { readonly code: string } }).error.code
  assert.equal(await codeOf(await fetch(`${base}/sign-in/done`)), 'sign-in-failed')
  const browser = cookieBrowser()
  const { address } = await browser.follow(`${base}/sign-in`, (next) => next.startsWith(base))
  assert.equal(await codeOf(await browser.get(address, { headers: { accept: '*/*' } })), 'sign-in-denied')
  await provider.down()
  const another = await signInGateway(t, { openid: { issuer: provider.issuer } })
  assert.equal(await codeOf(await fetch(`${another.base}/sign-in`)), 'sign-in-unavailable')
})
