import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryStore } from '../../test/session/temporary-store.ts'
import { nextAuditRecord, CHAIN_START, verifyAudit } from './audit.ts'
import type { SessionStore } from './session-store.ts'
import { openStore } from './store-file.ts'
import { systemClock } from '../platform.ts'

const time = '2026-01-01T00:00:00.000Z'
const around = { session: 'a', turn: 't1', tool: 'shell' }

/** What a strange hand may do to six records in the file, and what is then said. */
const tamperings: readonly [what: string, sql: string, number: number, why: RegExp][] = [
  [
    'changes what a record says',
    `update audit set record = replace(record, 'word-4', 'word-x') where number = 4`,
    4,
    /changed: its content does not match its hash/,
  ],
  [
    'adds something to a record',
    `update audit set record = json_set(record, '$.colour', 'red') where number = 4`,
    4,
    /changed/,
  ],
  [
    'takes something out of a record',
    `update audit set record = json_remove(record, '$.argv') where number = 1`,
    1,
    /changed/,
  ],
  ['changes the time of a record', `update audit set time = '2020-01-01T00:00:00.000Z' where number = 2`, 2, /changed/],
  ['changes the hash of a record', `update audit set hash = '${'f'.repeat(64)}' where number = 3`, 3, /changed/],
  [
    'changes the newest record',
    `update audit set record = replace(record, 'word-6', 'word-x') where number = 6`,
    6,
    /changed/,
  ],
  ['writes what is no JSON', `update audit set record = '{' where number = 5`, 5, /not a record any more/],
  [
    'writes JSON that is no record',
    `update audit set record = '{"kind":"call","previous":"","argv":7}' where number = 5`,
    5,
    /not a record/,
  ],
  ['writes bytes', `update audit set record = x'00ff' where number = 5`, 5, /not a record/],
  ['writes a time that is no text', `update audit set time = x'00ff' where number = 5`, 5, /not a record/],
  ['hides a record from a filter', `update audit set session = 'other' where number = 2`, 2, /not a record/],
  ['takes the session from a record', `update audit set session = null where number = 2`, 2, /not a record/],
  [
    'takes out a record',
    'delete from audit where number = 3',
    3,
    /record 3 is missing: the one after record 2 is record 4/,
  ],
  ['takes out several records', 'delete from audit where number in (2, 3, 4)', 2, /records 2 to 4 are missing/],
  ['takes out the first record', 'delete from audit where number = 1', 1, /record 1 is missing/],
  [
    'takes out a record and closes the gap',
    'delete from audit where number = 3; update audit set number = number - 1 where number > 3',
    3,
    /moved here or replaced: it does not follow record 2/,
  ],
  [
    'swaps two records',
    'update audit set number = -1 where number = 3; update audit set number = 3 where number = 4; update audit set number = 4 where number = -1',
    3,
    /moved here or replaced/,
  ],
  [
    'copies a record over another',
    'update audit set (record, hash) = (select record, hash from audit where number = 2) where number = 4',
    4,
    /moved here or replaced/,
  ],
  [
    'cuts off the end',
    'delete from audit where number > 4',
    5,
    /the end is missing: record 6 was the newest, and nothing follows record 4/,
  ],
  ['takes out everything', 'delete from audit', 1, /the end is missing/],
  [
    'moves a record far behind the end',
    'update audit set number = 9223372036854775807 where number = 6',
    6,
    /the end is missing/,
  ],
  [
    'turns the note of the newest back',
    `update named_values set value = '{"number":4,"hash":"x"}' where key = 'audit.head'`,
    5,
    /added by another hand: record 4 was the newest/,
  ],
  [
    'puts another hash into the note of the newest',
    `update named_values set value = '{"number":6,"hash":"${'f'.repeat(64)}"}' where key = 'audit.head'`,
    6,
    /record 6 was replaced: another one was noted as the newest/,
  ],
  ['takes out the note of the newest', `delete from named_values where key = 'audit.head'`, 6, /the note is gone/],
  [
    'writes over the note of the newest',
    `update named_values set value = '{' where key = 'audit.head'`,
    6,
    /the note is gone/,
  ],
]

for (const [what, sql, number, why] of tamperings) {
  test(`an audit is found broken when somebody ${what}`, async (context) => {
    const path = await temporaryStore(context)
    await change(path, (store) => write(store, 1, 6))
    tamper(path, sql)
    await change(path, async (store) => {
      const verdict = await verifyAudit(store)
      assert.ok(verdict.type === 'broken')
      assert.equal(verdict.number, number)
      assert.match(verdict.why, why)
      assert.ok(Array.isArray(await store.audit()))
    })
  })
}

const laterBreaks: readonly [what: string, sql: string, number: number, why: RegExp][] = [
  ['the end was cut off', 'delete from audit where number > 4', 5, /records 5 to 6 are missing/],
  ['everything was taken out', 'delete from audit', 1, /records 1 to 6 are missing/],
  ['the newest record was rewritten', `update audit set hash = '${'f'.repeat(64)}' where number = 6`, 6, /changed/],
  [
    'a record was added behind the newest',
    `insert into audit select 7, time, session, turn, tool, decision, record, hash from audit where number = 6`,
    7,
    /moved here/,
  ],
]

for (const [what, sql, number, why] of laterBreaks) {
  test(`calls that are written after ${what} do not cover it up`, async (context) => {
    const path = await temporaryStore(context)
    await change(path, (store) => write(store, 1, 6))
    tamper(path, sql)
    await change(path, async (store) => {
      await write(store, 7, 9)
      const verdict = await verifyAudit(store)
      assert.ok(verdict.type === 'broken')
      assert.equal(verdict.number, number)
      assert.match(verdict.why, why)
    })
  })
}

test('a record that was rewritten with its hash is detected by the next record', async (context) => {
  const path = await temporaryStore(context)
  let before = ''
  await change(path, async (store) => {
    await write(store, 1, 6)
    before = (await store.audit())[2]!.hash
  })
  const facts = { kind: 'call', ...around, argv: ['true'] } as const
  const { hash, previous } = nextAuditRecord(before, 4, time, facts)
  tamper(
    path,
    `update audit set record = '${JSON.stringify({ ...facts, previous })}', hash = '${hash}' where number = 4`,
  )
  await change(path, async (store) => {
    const why = 'record 4 was replaced: record 5 was written after another one'
    assert.deepEqual(await verifyAudit(store), { type: 'broken', number: 4, why })
  })
})

test('a newest record that was rewritten with a matching hash is detected by the noted head', async (context) => {
  const path = await temporaryStore(context)
  let before = ''
  await change(path, async (store) => {
    await write(store, 1, 6)
    before = (await store.audit())[4]!.hash
  })
  const facts = { kind: 'call', ...around, argv: ['true'] } as const
  const { hash, previous } = nextAuditRecord(before, 6, time, facts)
  tamper(
    path,
    `update audit set record = '${JSON.stringify({ ...facts, previous })}', hash = '${hash}' where number = 6`,
  )
  await change(path, async (store) => {
    const why = 'record 6 was replaced: another one was noted as the newest'
    assert.deepEqual(await verifyAudit(store), { type: 'broken', number: 6, why })
  })
})

test('a forged record that fits behind the newest is named once the next one is written', async (context) => {
  const path = await temporaryStore(context)
  let head = ''
  await change(path, async (store) => {
    await write(store, 1, 6)
    head = (await store.auditHead())!.hash
  })
  const { hash, previous } = nextAuditRecord(head, 7, time, { kind: 'change' })
  tamper(
    path,
    `insert into audit (number, time, record, hash) values (7, '${time}', '${JSON.stringify({ kind: 'change', previous })}', '${hash}')`,
  )
  await change(path, async (store) => {
    assert.deepEqual(await verifyAudit(store), {
      type: 'broken',
      number: 7,
      why: 'record 7 was added by another hand: record 6 was the newest',
    })
    await write(store, 8, 8)
    const verdict = await verifyAudit(store)
    assert.deepEqual(verdict.type === 'broken' && [verdict.number, verdict.why], [
      7,
      'record 7 was replaced: record 8 was written after another one',
    ])
  })
})

test('one break among many pages is found, and the first of two is named', async (context) => {
  const path = await temporaryStore(context)
  await change(path, (store) => write(store, 1, 1_300))
  tamper(path, `update audit set record = replace(record, 'word', 'sword') where number in (1201, 1250)`)
  await change(path, async (store) => {
    const verdict = await verifyAudit(store)
    assert.equal(verdict.type === 'broken' && verdict.number, 1201)
  })
})

async function change(path: string, work: (store: SessionStore) => Promise<void>): Promise<void> {
  const store = await openStore({ clock: systemClock, path })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

async function write(store: SessionStore, from: number, to: number): Promise<void> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  await store.transaction(
    numbers.map((number) => ({
      type: 'audit',
      facts: { kind: 'call', ...around, argv: ['echo', `word-${number}`], ok: true },
      time,
    })),
  )
}

function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

test('anybody can compute the hash of a record again: its JSON without blanks, keys in order', () => {
  const { hash } = nextAuditRecord(CHAIN_START, 1, time, { tool: 'shell', kind: 'call', argv: ['ls', '字'], ok: true })
  const text = `{"argv":["ls","字"],"kind":"call","number":1,"ok":true,"previous":"${CHAIN_START}","time":"${time}","tool":"shell"}`
  assert.equal(hash, createHash('sha256').update(text).digest('hex'))
})

test('the order of facts does not matter, and unknown facts are missing', () => {
  const one = nextAuditRecord(CHAIN_START, 1, time, { kind: 'call', tool: 'shell', session: 'a' })
  const other = nextAuditRecord(
    CHAIN_START,
    1,
    time,
    Object.assign({ session: 'a', turn: undefined }, { tool: 'shell', kind: 'call' } as const),
  )
  assert.equal(one.hash, other.hash)
})

test('every part of a record, and its place, decides its hash', () => {
  const hashes = [
    nextAuditRecord(CHAIN_START, 1, time, { kind: 'call' }),
    nextAuditRecord('1'.repeat(64), 1, time, { kind: 'call' }),
    nextAuditRecord(CHAIN_START, 2, time, { kind: 'call' }),
    nextAuditRecord(CHAIN_START, 1, '2026-01-01T00:00:00.001Z', { kind: 'call' }),
    nextAuditRecord(CHAIN_START, 1, time, { kind: 'decision' }),
    nextAuditRecord(CHAIN_START, 1, time, { kind: 'call', argv: ['a', 'b'] }),
    nextAuditRecord(CHAIN_START, 1, time, { kind: 'call', argv: ['a b'] }),
  ].map((record) => record.hash)
  assert.equal(new Set(hashes).size, hashes.length)
})
