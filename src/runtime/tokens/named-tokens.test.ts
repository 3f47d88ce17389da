import { fixedClock } from '../../testing.ts'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { sha256, systemClock } from '../../platform.ts'
import { ensureToken } from '../home/home.ts'
import type { Write } from '../../session.ts'
import { BROWSER_SESSION_SECONDS, openBrowserSessions } from './browser-sessions.ts'
import { isExpired, listedTokens, openNamedTokens, tokenExpiry } from './named-tokens.ts'
import { openTokenUses } from './token-uses.ts'

const NOON = Date.parse('2026-03-10T12:00:00.000Z')

function opened(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'foreword-tokens-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const written: Write[] = []
  let refuses = false
  const store = {
    async transaction(writes: readonly Write[]) {
      if (refuses) throw new Error('the disk is full')
      written.push(...writes)
      return []
    },
    value: async () => undefined,
  }
  const clock = fixedClock({ timers: systemClock, start: new Date(NOON).toISOString() })
  const named = openNamedTokens({ clock, home, store, random: randomBytes })
  const file = join(home, 'data', 'tokens.json')
  return { home, written, named, file, clock, refuse: () => (refuses = true), store }
}

test('the token of the owner is made once, for its account alone', async (t) => {
  const { home } = opened(t)
  const token = await ensureToken({ home, random: randomBytes })
  assert.match(token, /^[\w-]{43}$/)
  assert.equal(await ensureToken({ home, random: randomBytes }), token)
  const file = join(home, 'data', 'token')
  assert.equal(readFileSync(file, 'utf8'), `${token}\n`)
  assert.deepEqual(
    [home, join(home, 'data'), file].map((path) => (statSync(path).mode & 0o777).toString(8)),
    ['700', '700', '600'],
  )
})

test('a token is kept as its hash, for the owner alone, and is in the audit without itself', async (t) => {
  const { named, file, written } = opened(t)
  const { token, ...kept } = await named.make({ name: 'laptop', scope: 'talk', expires: '30d' }, 'cli')
  assert.equal(Buffer.from(token, 'base64url').length, 32)
  assert.deepEqual(kept, {
    name: 'laptop',
    scope: 'talk',
    hash: sha256(token),
    made: '2026-03-10T12:00:00.000Z',
    expires: '2026-04-09T12:00:00.000Z',
  })
  const text = readFileSync(file, 'utf8')
  assert.deepEqual(JSON.parse(text), [kept])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const reason = 'token laptop made: talk, expires 2026-04-09T12:00:00.000Z'
  const facts = { kind: 'change', rule: 'data/tokens.json', by: 'cli', reason }
  assert.deepEqual(written, [{ type: 'audit', facts, time: kept.made }])
  assert.ok(!`${text}${JSON.stringify(written)}`.includes(token))
  assert.equal(named.find(sha256(token))?.name, 'laptop')
  assert.equal(named.find(sha256('a guess')), undefined)
})

test('a change that cannot be recorded is not made', async (t) => {
  const { named, refuse } = opened(t)
  await named.make({ name: 'laptop', scope: 'talk' }, 'cli')
  refuse()
  await assert.rejects(named.make({ name: 'ci', scope: 'read' }, 'cli'), /disk is full/)
  await assert.rejects(named.revoke('laptop', 'cli'), /disk is full/)
  assert.deepEqual(
    named.list().map(({ name }) => name),
    ['laptop'],
  )
})

test('a lease is renewed while somebody holds it, also after its end, and not once it is revoked', async (t) => {
  const { clock, named } = opened(t)
  const { hash } = await named.make({ name: 'run', scope: 'talk', expires: '3m' }, 'cli')
  await clock.advance(200_000)
  assert.ok(isExpired(named.find(hash)!, clock.now()))
  await named.renew(hash, '3m')
  assert.equal(Date.parse(named.find(hash)!.expires!), clock.now() + 180_000)
  const endless = await named.make({ name: 'laptop', scope: 'talk' }, 'cli')
  await named.renew(endless.hash, '3m')
  assert.equal(named.find(endless.hash)?.expires, undefined)
  await named.revoke('run', 'cli')
  await named.renew(hash, '3m')
  assert.equal(named.find(hash), undefined)
})

test('what another process changes counts at once', async (t) => {
  const { home, named, store } = opened(t)
  const other = openNamedTokens({ clock: systemClock, home, store, random: randomBytes })
  const { hash } = await other.make({ name: 'ci', scope: 'read' }, 'cli')
  assert.equal(named.find(hash)?.scope, 'read')
  await other.revoke('ci', 'cli')
  assert.equal(named.find(hash), undefined)
})

test('two processes that make tokens at the same time lose none', async (t) => {
  const { home, named, store } = opened(t)
  const other = openNamedTokens({ clock: systemClock, home, store, random: randomBytes })
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  await Promise.all(names.map((name, at) => (at % 2 ? named : other).make({ name, scope: 'mcp' }, 'cli')))
  assert.deepEqual(
    named
      .list()
      .map(({ name }) => name)
      .toSorted(),
    names,
  )
})

test('a file that cannot be read lets nobody in, says why, and is left as it is', async (t) => {
  const { named, file } = opened(t)
  const { hash } = await named.make({ name: 'laptop', scope: 'talk' }, 'cli')
  writeFileSync(file, '[{"name": "laptop"}]')
  assert.equal(named.find(hash), undefined)
  assert.throws(() => named.list(), { code: 'storage', message: /tokens\.json cannot be read/ })
  await assert.rejects(named.make({ name: 'ci', scope: 'read' }, 'cli'), { code: 'storage' })
  assert.equal(readFileSync(file, 'utf8'), '[{"name": "laptop"}]')
  chmodSync(file, 0o600)
})

test('what a newer version keeps beside a token stays', async (t) => {
  const { named, file } = opened(t)
  await named.make({ name: 'laptop', scope: 'talk' }, 'cli')
  const [kept] = JSON.parse(readFileSync(file, 'utf8')) as readonly object[]
  writeFileSync(file, JSON.stringify([{ ...kept, origin: 'page' }]))
  await named.make({ name: 'ci', scope: 'read' }, 'cli')
  assert.match(readFileSync(file, 'utf8'), /"origin": "page"/)
})

test('a name that is taken, in any case, and one that is none are refused', async (t) => {
  const { named } = opened(t)
  await named.make({ name: 'laptop', scope: 'talk' }, 'cli')
  await assert.rejects(named.make({ name: 'Laptop', scope: 'read' }, 'cli'), { code: 'exists' })
  for (const name of ['', ' ', 'a b', '-x', 'x/y', 'x\n', 'a'.repeat(65)]) {
    await assert.rejects(named.make({ name, scope: 'read' }, 'cli'), { code: 'invalid-input' }, name)
  }
  await assert.rejects(named.revoke('nobody', 'cli'), { code: 'not-found' })
})

test('a token expires after a span, at the end of a day, or at a time', () => {
  const at = (text: string) => tokenExpiry(text, NOON)
  assert.equal(at('12h'), '2026-03-11T00:00:00.000Z')
  assert.equal(at('8w'), '2026-05-05T12:00:00.000Z')
  assert.equal(at('2030-01-31T10:00Z'), '2030-01-31T10:00:00.000Z')
  assert.equal(at('2030-01-31'), new Date(2030, 0, 31, 23, 59, 59).toISOString())
  for (const wrong of ['', '30', '-3d', '0d', '2026-02-30', '2026-03-09', '2026-03-10T11:59Z', 'soon', '999999w']) {
    assert.throws(() => at(wrong), { code: 'invalid-input' }, wrong)
  }
  const expires = '2026-03-10T12:00:01.000Z'
  assert.deepEqual([isExpired({ expires }, NOON), isExpired({ expires }, NOON + 1_000)], [false, true])
})

test('a use is noted to the minute, and one of an earlier token of the name does not count', async (t) => {
  const { home, clock, named } = opened(t)
  await named.make({ name: 'laptop', scope: 'talk' }, 'cli')
  const uses = openTokenUses({ clock, home })
  uses.note('laptop')
  await clock.advance(59_000)
  uses.note('laptop')
  const first = { laptop: '2026-03-10T12:00:00.000Z' }
  assert.deepEqual(await uses.all(), first)
  assert.equal(listedTokens(named.list(), first, clock.now())[0]!.used, first.laptop)
  await clock.advance(1_000)
  uses.note('laptop')
  await uses.idle()
  assert.deepEqual(await openTokenUses({ clock: systemClock, home }).all(), { laptop: '2026-03-10T12:01:00.000Z' })
  await named.revoke('laptop', 'cli')
  await clock.advance(1_000)
  await named.make({ name: 'laptop', scope: 'read' }, 'cli')
  assert.equal(listedTokens(named.list(), await uses.all(), clock.now())[0]!.used, undefined)
})

test('a browser stays signed in for thirty days, through a restart, and no longer', async (t) => {
  const { home, clock, store } = opened(t)
  const browsers = openBrowserSessions({ clock, place: { home, store, clock }, random: randomBytes })
  const value = await browsers.begin(sha256('a token'))
  const file = join(home, 'data', 'browsers.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.ok(!readFileSync(file, 'utf8').includes(value))
  const again = openBrowserSessions({ clock, place: { home, store, clock }, random: randomBytes })
  assert.equal(again.find(value)?.token, sha256('a token'))
  await clock.advance(BROWSER_SESSION_SECONDS * 1_000 - 1)
  assert.ok(again.find(value))
  await clock.advance(1)
  assert.equal(again.find(value), undefined)
})

test('a token that signs in again and again signs out its own oldest browsers alone', async () => {
  const browsers = openBrowserSessions({ clock: systemClock, random: randomBytes })
  const mine = await browsers.begin('mine')
  const others = []
  for (let count = 0; count < 60; count += 1) others.push(await browsers.begin('another'))
  assert.ok(browsers.find(mine))
  assert.equal(others.filter((value) => browsers.find(value)).length, 50)
  assert.equal(browsers.find(others[9]!), undefined)
  assert.ok(browsers.find(others[10]!))
})

test('a browser that signs out is out, and the others stay', async (t) => {
  const { home, store } = opened(t)
  const browsers = openBrowserSessions({
    clock: systemClock,
    place: { home, store, clock: systemClock },
    random: randomBytes,
  })
  const [one, other] = [await browsers.begin('token'), await browsers.begin('token')]
  await browsers.end(one)
  assert.equal(browsers.find(one), undefined)
  assert.ok(browsers.find(other))
})
