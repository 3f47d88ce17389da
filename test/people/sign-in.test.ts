import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { RUN_MARK } from '../../src/platform.ts'
import { createForeword, type Foreword } from '../../src/foreword.ts'
import { cookieBrowser, type CookieBrowser } from '../server/cookie-browser.ts'
import { openProvider, SECRET } from '../server/openid-provider.ts'

/** A whole gateway with a configuration, on a port, and a provider that sends browsers back to it. */
async function signInTeam(t: TestContext, gateway: object = {}) {
  const home = mkdtempSync(join(tmpdir(), 'foreword-sign-in-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'client-secret'), `${SECRET}\n`)
  let foreword!: Foreword
  let origin = ''
  const provider = await openProvider(t, async (issuer) => {
    foreword = await createForeword({
      home,
      configuration: {
        model: 'rehearsal',
        gateway: {
          openid: {
            issuer,
            clientId: 'foreword',
            clientSecretFile: 'client-secret',
            allow: { emails: ['ann@reef.example'] },
          },
          ...gateway,
        },
      },
      environment: { OLLAMA_HOST: '127.0.0.1:1' },
    })
    t.after(() => foreword.close())
    origin = (await foreword.listen({ port: 0 })).url
    return {
      accounts: { ann: { email: 'ann@reef.example', email_verified: true, preferred_username: 'ann' } },
      redirects: [`${origin}/sign-in/done`],
    }
  })
  const owner = (path: string, { method = 'GET', body }: { readonly method?: string; readonly body?: object } = {}) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${foreword.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const say = async (browser: CookieBrowser, text: string) => {
    const headers = { 'content-type': 'application/json', origin }
    const accepted = await browser.get(`${origin}/api/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ text }),
    })
    assert.equal(accepted.status, 202, await accepted.clone().text())
    await (await browser.get(`${origin}/api/status?wait=idle`)).text()
    return ((await accepted.json()) as { readonly session: string }).session
  }
  return { home, origin, provider, foreword, owner, say }
}

test('somebody signs in, talks in their own home, signs out, and comes back to it', async (t) => {
  const { origin, owner, say, foreword, provider } = await signInTeam(t)
  const browser = cookieBrowser()
  const nobody = await browser.get(`${origin}/api/status`)
  assert.equal(nobody.status, 401)
  const { error } = (await nobody.json()) as { readonly error: { readonly signIn: string; readonly hint: string } }
  assert.deepEqual([error.signIn, error.hint.endsWith('Or open /sign-in in a browser.')], ['/sign-in', true])
  const signIn = () => browser.follow(`${origin}${error.signIn}`, (next) => next === `${origin}/`)
  await signIn()
  const session = await say(browser, 'The word is heliotrope.')
  assert.equal((await owner(`/api/sessions/${session}`)).status, 404)
  assert.equal((await browser.get(`${origin}/api/people`)).status, 404)
  const out = await browser.get(`${origin}/api/logout`, { method: 'POST', headers: { origin } })
  assert.equal(out.status, 204)
  assert.equal((await browser.get(`${origin}/api/sessions`)).status, 401)
  await signIn()
  const { sessions } = (await (await browser.get(`${origin}/api/sessions`)).json()) as { sessions: { id: string }[] }
  assert.deepEqual(
    sessions.map(({ id }) => id),
    [session],
  )
  const reasons = (await foreword.runtime.store.audit()).map(({ reason }) => reason)
  assert.deepEqual(reasons, [
    'ann added as member',
    `signed in: ann by ${provider.issuer}`,
    `signed in: ann by ${provider.issuer}`,
  ])
  const written = JSON.stringify(await foreword.runtime.store.audit())
  assert.ok(!written.includes(SECRET))
})

test('somebody whom the owner removes is out at once', async (t) => {
  const { origin, owner } = await signInTeam(t)
  const browser = cookieBrowser()
  await browser.follow(`${origin}/sign-in`, (next) => next === `${origin}/`)
  assert.equal((await browser.get(`${origin}/api/status`)).status, 200)
  assert.equal((await owner('/api/people/ann', { method: 'DELETE' })).status, 200)
  assert.equal((await browser.get(`${origin}/api/status`)).status, 401)
})

test('a proxy names people, and nobody else does', async (t) => {
  const { origin, owner, foreword } = await signInTeam(t, {
    openid: undefined,
    trustedProxy: { header: 'X-Forwarded-User', from: ['127.0.0.7', '10.9.0.0/16'] },
  })
  await owner('/api/people', { method: 'POST', body: { name: 'ann' } })
  const ask = (remote: string | undefined, own: Record<string, string>, path = '/api/token') =>
    foreword.server.fetch(new Request(`${origin}${path}`, { headers: own }), remote === undefined ? {} : { remote })
  const ann = { 'x-forwarded-user': 'ann' }
  const entered = await ask('10.9.1.1', ann)
  assert.deepEqual(((await entered.json()) as { caller: object }).caller, {
    scope: 'approve',
    name: 'ann',
    person: 'ann',
  })
  assert.equal((await ask('::ffff:127.0.0.7', ann)).status, 200)
  for (const remote of ['127.0.0.1', '10.8.255.255', '::1', undefined]) {
    assert.equal((await ask(remote, ann)).status, 401, String(remote))
    // Naming the proxy as the address that a request was forwarded for does not help.
    assert.equal((await ask(remote, { ...ann, 'x-forwarded-for': '10.9.1.1' })).status, 401, String(remote))
  }
  assert.equal((await fetch(`${origin}/api/token`, { headers: ann })).status, 401)
  const stranger = await ask('10.9.1.1', { 'x-forwarded-user': 'bob' })
  assert.equal(stranger.status, 401)
  assert.match(await stranger.text(), /The proxy names .*bob.*, who is not one of the people here/)
  // Two names, the owner, and pages of others that send a browser through the proxy.
  for (const own of [
    { 'x-forwarded-user': 'ann, ann' },
    { 'x-forwarded-user': 'owner' },
    { ...ann, 'sec-fetch-site': 'cross-site' },
  ]) {
    assert.equal((await ask('10.9.1.1', own)).status, 401)
  }
  // A token says more than a proxy.
  const both = await ask('10.9.1.1', { ...ann, authorization: `Bearer ${foreword.token}` })
  assert.deepEqual(((await both.json()) as { caller: object }).caller, { scope: 'admin' })
  assert.equal((await ask('10.9.1.1', ann, '/sign-in')).status, 404)
})

test('what somebody whom a proxy names has open ends when they are removed', async (t) => {
  const { origin, owner, foreword } = await signInTeam(t, {
    trustedProxy: { header: 'x-forwarded-user', from: ['10.9.0.1'] },
  })
  const headers = { 'content-type': 'application/json' }
  await owner('/api/people', { method: 'POST', body: { name: 'ann' } })
  const ask = (path: string, init: RequestInit = {}) =>
    foreword.server.fetch(
      new Request(`${origin}${path}`, { ...init, headers: { ...headers, 'x-forwarded-user': 'ann' } }),
      { remote: '10.9.0.1' },
    )
  const made = await ask('/api/sessions', { method: 'POST', body: '{}' })
  const { id } = (await made.json()) as { readonly id: string }
  const events = await ask(`/api/sessions/${id}/events`)
  assert.equal(events.status, 200)
  await owner('/api/people/ann', { method: 'DELETE' })
  // Ends by itself: a stream that stays open would hold the test until its time is up.
  for await (const _ of events.body!);
  assert.equal((await ask('/api/status')).status, 401)
})

test('a program that a tool started is not the proxy, though it comes from its address', async (t) => {
  if (process.platform !== 'linux') return t.skip('connections have names on Linux alone')
  const { origin, owner } = await signInTeam(t, {
    trustedProxy: { header: 'x-forwarded-user', from: ['127.0.0.1'] },
  })
  await owner('/api/people', { method: 'POST', body: { name: 'ann' } })
  const ask = `const answer = await fetch('${origin}/api/token', { headers: { 'x-forwarded-user': 'ann' } })
    process.stdout.write(String(answer.status))`
  const run = async (environment: Readonly<Record<string, string>>) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', ask], {
      env: environment,
    })
    return stdout
  }
  assert.equal(await run({}), '200')
  assert.equal(await run({ [RUN_MARK]: 'a-run' }), '401')
})
