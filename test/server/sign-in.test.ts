import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieBrowser } from './cookie-browser.ts'
import { SECRET } from './openid-provider.ts'
import { signInGateway } from './sign-in-gateway.ts'

test('somebody whom a rule allows is signed in and goes to the page that they asked for', async (t) => {
  const { base, listed, provider, cookieName, flowName, audit, requests } = await signInGateway(t)
  const browser = cookieBrowser()
  const begun = await browser.get(`${base}/sign-in?to=/settings/token`)
  assert.equal(begun.status, 303)
  const asked = new URL(begun.headers.get('location')!)
  assert.equal(asked.origin, provider.issuer)
  assert.equal(asked.searchParams.get('code_challenge_method'), 'S256')
  assert.equal(asked.searchParams.get('scope'), 'openid profile email groups')
  const { attributes } = browser.cookies.get(flowName)!
  assert.equal(attributes, 'Path=/sign-in; HttpOnly; SameSite=Lax; Max-Age=600')
  const arrival = await browser.follow(asked.href)
  assert.equal(arrival.address, `${base}/settings/token`)
  assert.deepEqual(
    [...browser.cookies.keys()].filter((name) => name.startsWith('foreword')),
    [cookieName],
  )
  const own = await browser.get(`${base}/api/token`)
  const { caller } = (await own.json()) as { readonly caller: object }
  assert.deepEqual(caller, { scope: 'approve', name: 'ann', person: 'ann' })
  assert.equal(browser.cookies.get(cookieName)!.attributes, 'Path=/; HttpOnly; SameSite=Strict; Max-Age=604800')
  const identity = { issuer: provider.issuer, sub: 'ann' }
  assert.deepEqual(listed(), [{ name: 'ann', role: 'member', groups: ['divers'], identity, email: 'ann@reef.example' }])
  assert.deepEqual(await audit(), [`signed in: ann by ${provider.issuer}`])
  assert.deepEqual(requests, ['/.well-known/openid-configuration', '/token', '/jwks', '/me'])
})

test('an identity that no rule allows is refused with a page that says so, and is in the audit', async (t) => {
  const { base, listed, provider, cookieName, flowName, audit } = await signInGateway(t)
  for (const [login, name] of [
    ['bob', 'bob@elsewhere.example'],
    // Its provider does not say that it is theirs, and a text is not `true`.
    ['eve', 'eve'],
    ['max', 'max'],
    ['dan', 'dan'],
  ] as const) {
    provider.login = login
    const browser = cookieBrowser()
    const { response, text } = await browser.follow(`${base}/sign-in`)
    assert.equal(response.status, 403)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    assert.match(text, new RegExp(`You signed in as ${name}, and nobody has let you in here\\.`))
    assert.ok(!browser.cookies.has(cookieName) && !browser.cookies.has(flowName))
    assert.equal((await audit()).at(-1), `sign-in refused: ${name} by ${provider.issuer}`)
  }
  assert.deepEqual(listed(), [])
})

test('groups allow, and give a role that follows them at each sign-in', async (t) => {
  const groups: string[] = ['divers', 'constructor']
  const { base, listed, provider } = await signInGateway(t, {
    accounts: { dan: { preferred_username: 'Dan  O’Hara!', groups } },
    openid: { allow: { groups: ['divers'] }, roles: { captains: 'member', divers: 'guest' } },
  })
  const signIn = async () => (await cookieBrowser().follow(`${base}/sign-in`, (next) => next === `${base}/`)).address
  const dan = { name: 'dan-o-hara', identity: { issuer: provider.issuer, sub: 'dan' } }
  assert.equal(await signIn(), `${base}/`)
  assert.deepEqual(listed(), [{ ...dan, role: 'guest', groups: ['divers', 'constructor'] }])
  groups[1] = 'captains'
  assert.equal(await signIn(), `${base}/`)
  assert.deepEqual(listed(), [{ ...dan, role: 'member', groups: ['divers', 'captains'] }])
  groups.length = 0
  assert.match(await signIn(), /\/sign-in\/done/)
  assert.deepEqual(
    listed().map(({ role }) => role),
    ['member'],
  )
})

test('whom the owner added with an address is the one who signs in with it, once it is verified', async (t) => {
  const { base, people, listed, provider } = await signInGateway(t, {
    openid: { allow: { emails: ['ANN@reef.example'] } },
  })
  await people.add({ name: 'captain', role: 'guest', email: 'ann@reef.example' }, 'owner')
  await people.add({ name: 'ann', role: 'guest' }, 'owner')
  for (let times = 0; times < 2; times += 1)
    await cookieBrowser().follow(`${base}/sign-in`, (next) => next === `${base}/`)
  const identity = { issuer: provider.issuer, sub: 'ann' }
  assert.deepEqual(listed(), [
    { name: 'captain', role: 'guest', email: 'ann@reef.example', identity, groups: ['divers'] },
    { name: 'ann', role: 'guest' },
  ])
})

test('a second person of one name gets a number, and two sign-ins of one identity at once are one person', async (t) => {
  const { base, people, listed } = await signInGateway(t)
  await people.add({ name: 'ann', role: 'guest' }, 'owner')
  await Promise.all([1, 2, 3].map(() => cookieBrowser().follow(`${base}/sign-in`, (next) => next === `${base}/`)))
  assert.deepEqual(
    listed().map(({ name }) => name),
    ['ann', 'ann-2'],
  )
})

test('claims in the token itself do, a public client needs no secret, and one may be sent in the form', async (t) => {
  for (const [clientId, more] of [
    ['public', { secret: async () => undefined }],
    ['posted', { openid: { clientSecretIn: 'body' } }],
  ] as const) {
    const { base, listed, requests } = await signInGateway(t, {
      claimsInToken: true,
      ...more,
      openid: { ...('openid' in more && more.openid), clientId },
    })
    assert.equal((await cookieBrowser().follow(`${base}/sign-in`, (next) => next === `${base}/`)).address, `${base}/`)
    assert.equal(listed()[0]?.email, 'ann@reef.example')
    assert.ok(!requests.includes('/me'))
  }
})

test('a sign-in ends once: what came back is refused when it comes again', async (t) => {
  const { base, provider, flowName, cookieName, requests } = await signInGateway(t)
  const browser = cookieBrowser()
  await browser.get(`${base}/sign-in`)
  const flow = browser.cookies.get(flowName)!
  const begun = await browser.get(`${base}/sign-in`)
  const last = browser.cookies.get(flowName)!
  assert.notEqual(flow.value, last.value)
  const { address } = await browser.follow(begun.headers.get('location')!, (next) => next.startsWith(base))
  assert.equal((await browser.get(address)).status, 303)
  const exchanged = requests.filter((path) => path === '/token').length
  browser.cookies.delete(cookieName)
  // Without the cookie, with it, and with that of the beginning before.
  for (const cookie of [undefined, last, flow]) {
    if (cookie) browser.cookies.set(flowName, cookie)
    const { response, text } = await browser.follow(address)
    assert.equal(response.status, 401)
    assert.match(text, /The sign-in failed\. It (?:was not begun in this browser|has ended already|belongs to another)/)
  }
  assert.equal(requests.filter((path) => path === '/token').length, exchanged)
  assert.ok(!browser.cookies.has(cookieName) && provider.login === 'ann')
})

test('what another browser began cannot be ended in this one', async (t) => {
  const { base, cookieName, flowName } = await signInGateway(t)
  const [mine, theirs] = [cookieBrowser(), cookieBrowser()]
  const back = async (browser: typeof mine) =>
    (await browser.follow(`${base}/sign-in`, (next) => next.startsWith(base))).address
  const [ofMine, ofTheirs] = [await back(mine), await back(theirs)]
  const refused = await mine.follow(ofTheirs)
  assert.equal(refused.response.status, 401)
  assert.match(refused.text, /It belongs to another beginning/)
  // Their code with my state: the provider compares the proof of the browser that began.
  const mixed = new URL(ofMine)
  mixed.searchParams.set('code', new URL(ofTheirs).searchParams.get('code')!)
  assert.equal((await mine.follow(mixed.href)).response.status, 401)
  assert.ok(!mine.cookies.has(cookieName))
  // A cookie that was changed is none.
  const { value, ...rest } = theirs.cookies.get(flowName)!
  theirs.cookies.set(flowName, { ...rest, value: `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}` })
  assert.equal((await theirs.get(ofTheirs)).status, 401)
})

test('a browser stays signed in for as long as the owner says', async (t) => {
  const { base, browsers, cookieName, provider } = await signInGateway(t, { openid: { hours: 2 } })
  const browser = cookieBrowser()
  await browser.follow(`${base}/sign-in`, (next) => next === `${base}/`)
  const { value, attributes } = browser.cookies.get(cookieName)!
  assert.match(attributes, /Max-Age=7200/)
  const left = Date.parse(browsers.find(value)!.expires) - Date.now()
  assert.ok(left > 7_000_000 && left <= 7_200_000 && provider.login === 'ann')
})

test('a secret that was wrong and is corrected needs no start', async (t) => {
  const secret = { current: 'a-secret-of-before' }
  const { base, noted } = await signInGateway(t, { secret: async () => secret.current })
  const signIn = () => cookieBrowser().follow(`${base}/sign-in`, (next) => next === `${base}/`)
  const refused = await signIn()
  assert.equal(refused.response.status, 502)
  assert.match(refused.text, /it does not accept the id and secret of this gateway/)
  assert.ok(!noted.join().includes(secret.current))
  secret.current = SECRET
  assert.equal((await signIn()).address, `${base}/`)
})
