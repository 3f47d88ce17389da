import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, input, start } from '../cases/session-store-entries.ts'
import { postgresForTests } from './postgres-for-tests.ts'
import type { EntryBody } from '../../src/session.ts'
import { systemClock } from '../../src/platform.ts'
import { databaseName } from '../../src/session/postgres/address.ts'
import { openPostgresStore } from '../../src/session/postgres/open-postgres-store.ts'
import { decodeText, encodeText } from '../../src/session/postgres/text-code.ts'

const { options, server } = postgresForTests()

test('what PostgreSQL refuses in a text is kept, and JSON with it', options, async () => {
  const store = await openPostgresStore({ clock: systemClock, address: await server().database() })
  const odd = 'nul \0, substitute \u001A, half \uD800 and \uDC00 of a pair, \u001A0000, whole 😀'
  assert.equal(decodeText(encodeText(odd)), odd)
  const id = 'nul \0, substitute \u001A'
  await store.append(id, [start, { ...input('turn_1'), message: { role: 'user', content: odd } } as EntryBody], at(1))
  const hash = await store.putContent(odd)
  await store.putValue(odd, { [odd]: odd })
  assert.equal((await store.session(id))?.id, id)
  assert.deepEqual(
    (await store.entries(id)).map((entry) => entry.type === 'input' && entry.message.content),
    [false, odd],
  )
  assert.equal(await store.content(hash), odd)
  assert.deepEqual(await store.value(odd), { [odd]: odd })
  assert.deepEqual(await Array.fromAsync(store.damage()), [])
  await store.close()
})

test('a second gateway on one database is refused with a sentence that names the first', options, async () => {
  const address = await server().database()
  const store = await openPostgresStore({ clock: systemClock, address })
  await assert.rejects(openPostgresStore({ clock: systemClock, address }), {
    code: 'claimed',
    message: /is already used by foreword \d+ of this machine/,
  })
  const reader = await openPostgresStore({ clock: systemClock, address, readOnly: true })
  await assert.rejects(reader.putValue('key', 1), { code: 'readonly' })
  await Promise.all([reader.close(), store.close()])
  await (await openPostgresStore({ clock: systemClock, address })).close()
})

test('while connections are ended again and again, what is confirmed is there once, in order', options, async () => {
  const address = await server().database()
  const store = await openPostgresStore({ clock: systemClock, address })
  const heard: number[] = []
  store.watch((entries) => void heard.push(...entries.map(({ seq }) => seq)))
  await store.append('s', [start], at(0))
  const over = new AbortController()
  const ending = (async () => {
    while (!over.signal.aborted) {
      await server().execute(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${new URL(address.replace('@/', '@host/')).pathname.slice(1)}'`,
      )
      await systemClock.sleep(20)
    }
  })()
  const count = 100
  for (let number = 1; number <= count; number += 1) {
    await Promise.all([store.append('s', [{ type: 'model', model: `m${number}` }], at(number)), store.entries('s')])
  }
  over.abort()
  await ending
  const entries = await store.entries('s')
  assert.deepEqual(
    entries.slice(1).map((entry) => entry.type === 'model' && entry.model),
    Array.from({ length: count }, (_, index) => `m${index + 1}`),
  )
  assert.deepEqual(
    heard,
    entries.map(({ seq }) => seq),
  )
  assert.deepEqual(await Array.fromAsync(store.damage()), [])
  await store.close()
})

test('a database that is started again is waited for', options, async () => {
  const store = await openPostgresStore({ clock: systemClock, address: await server().database() })
  await store.putValue('before', 1)
  const [, written] = await Promise.all([server().restart(), store.putValue('meanwhile', 2).then(() => 'written')])
  assert.equal(written, 'written')
  assert.deepEqual([await store.value('before'), await store.value('meanwhile')], [1, 2])
  await store.close()
})

test('an address is shown without its password', () => {
  const shown = (address: string, schema?: string) => databaseName({ address, schema })
  const hidden = 'postgres://me:***@db.example:5432/home?sslmode=require'
  assert.equal(shown('postgres://me:p@ss:w/o@db.example:5432/home?sslmode=require'), hidden)
  assert.equal(shown('postgres:///home?password=secret&host=/run'), 'postgres:///home?password=***&host=/run')
  assert.equal(shown('postgres://me@db/home'), 'postgres://me@db/home')
  assert.equal(shown('postgres://me:p@db/home', 'anna'), 'postgres://me:***@db/home (schema anna)')
})
