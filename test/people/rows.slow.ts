import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../src/platform.ts'
import { openGatewayTokens } from '../../src/runtime.ts'
import { openStore, type SessionStore } from '../../src/session.ts'
import { postgresForTests } from '../session/postgres-for-tests.ts'

const { options, server: database } = postgresForTests()

function folder(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'foreword-rows-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return home
}

async function tokensOf(t: TestContext, home: string, store: SessionStore) {
  const tokens = openGatewayTokens({ home, store, random: randomBytes, clock: systemClock })
  t.after(() => tokens.close())
  await tokens.ready
  return tokens
}

test('tokens and people of one database are the same on every machine, and none is lost', options, async (t) => {
  const path = await database().database()
  const works = await openStore({ path, clock: systemClock })
  const beside = await openStore({ path, clock: systemClock, beside: true })
  t.after(() => Promise.all([works.close(), beside.close()]))
  const [one, other] = [await tokensOf(t, folder(t), works), await tokensOf(t, folder(t), beside)]
  const names = Array.from({ length: 12 }, (_, number) => `token-${number}`)
  await Promise.all(names.map((name, at) => (at % 2 ? one : other).named.make({ name, scope: 'talk' }, 'test')))
  await one.people.add({ name: 'ann', role: 'member' }, 'test')
  const { hash } = await one.named.make({ name: 'phone', scope: 'talk', person: 'ann' }, 'test')
  while (other.named.find(hash) === undefined) await systemClock.sleep(50)
  assert.deepEqual(
    other.named
      .list()
      .map(({ name }) => name)
      .toSorted(),
    [...names, 'phone'].toSorted(),
  )
  assert.equal(other.people.find('ann')?.role, 'member')
  await other.named.revoke('phone', 'test')
  while (one.named.find(hash) !== undefined) await systemClock.sleep(50)
  const reasons = (await works.audit()).map(({ reason }) => reason)
  assert.ok(reasons.includes('token phone revoked'))
})

test('a home brings its lists into a database and back, and what was revoked stays revoked', options, async (t) => {
  const home = folder(t)
  const file = await openStore({ path: join(home, 'data.sqlite'), clock: systemClock })
  t.after(() => file.close())
  const inFile = await tokensOf(t, home, file)
  const kept = await inFile.named.make({ name: 'kept', scope: 'talk' }, 'test')
  const gone = await inFile.named.make({ name: 'gone', scope: 'talk' }, 'test')

  const stored = await openStore({ path: await database().database(), clock: systemClock })
  t.after(() => stored.close())
  const inDatabase = await tokensOf(t, home, stored)
  assert.ok(inDatabase.named.find(gone.hash))
  await inDatabase.named.revoke('gone', 'test')
  assert.ok(!existsSync(join(home, 'data', 'tokens.json')))

  // Back: the store brings its values with it, as a copy of it does.
  await file.putValue('gateway/tokens.json', await stored.value('gateway/tokens.json'))
  const back = await tokensOf(t, home, file)
  assert.ok(back.named.find(kept.hash))
  assert.equal(back.named.find(gone.hash), undefined)
  await back.named.revoke('kept', 'test')
  // And into the database once more: the value of the first time says nothing any more.
  await stored.putValue('gateway/tokens.json', await file.value('gateway/tokens.json'))
  const again = await tokensOf(t, home, stored)
  assert.equal(again.named.find(kept.hash), undefined)
})
