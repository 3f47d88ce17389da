import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openClient } from '../../src/session/postgres/client.ts'
import { get, run, type Sql, statement } from '../../src/session/tables/sql.ts'
import { postgresForTests } from './postgres-for-tests.ts'

const { options, server } = postgresForTests()

const insert = statement<{ number: number }>('insert into numbers (number) values (:number)')
const count = statement<object, { found: number }>('select count(*) as found from numbers')

test(
  'what is sent in a transaction is done before the next statement is answered, and before it is committed',
  options,
  async () => {
    const client = await openClient({ address: await server().database(), schema: 'public' }, { pipelined: true })
    await client.execute('create table numbers (number bigint primary key)')
    const numbers = function* (from: number): Sql<number> {
      for (let number = from; number < from + 20; number += 1) yield* run(insert, { number }, 'unread')
      return (yield* get(count, {}))!.found
    }
    await client.begin('')
    assert.equal(await client.work(numbers(1)), 20)
    await client.work(run(insert, { number: 100 }, 'unread'))
    await client.commit()
    assert.equal((await client.work(get(count, {})))!.found, 21)
    await client.end()
  },
)

test(
  'a statement that was sent and fails is what a transaction fails with, and nothing of that is kept',
  options,
  async () => {
    const client = await openClient({ address: await server().database(), schema: 'public' }, { pipelined: true })
    await client.execute('create table numbers (number bigint primary key)')
    const twice = function* (asks: boolean): Sql<void> {
      for (const number of [1, 2, 1, 3]) yield* run(insert, { number }, 'unread')
      if (asks) yield* run(insert, { number: 4 })
    }
    const isFirst = { code: 'conflict', message: /23505/ }
    await client.begin('')
    await assert.rejects(client.work(twice(true)), isFirst)
    await client.execute('rollback')
    await client.begin('')
    await client.work(twice(false))
    await assert.rejects(client.commit(), isFirst)
    assert.equal((await client.work(get(count, {})))!.found, 0)
    await client.end()
  },
)
