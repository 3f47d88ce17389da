import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type PairedChat } from '../../src/runtime.ts'
import { createPairings } from '../../src/runtime/channels/pairings.ts'
import { openStore, verifyAudit } from '../../src/session.ts'
import { fixedClock } from '../../src/testing.ts'
import { temporaryFolder } from '../session/temporary-folder.ts'
import { systemClock } from '../../src/platform.ts'

async function world(context: TestContext) {
  const path = join(await temporaryFolder(context), 'store.sqlite')
  const clock = fixedClock()
  const open = async () => {
    const store = await openStore({ clock: systemClock, path })
    context.after(() => store.close())
    return { store, pairings: createPairings({ store, clock, random: randomBytes }) }
  }
  return { path, clock, open, ...(await open()) }
}

type Chat = Omit<PairedChat, 'time'>
const ann: Chat = { channel: 'telegram', chat: '11', title: 'Ann', person: '11', kind: 'person' }
const group: Chat = { channel: 'telegram', chat: '-100', title: 'Family', person: '11', kind: 'group' }
const minutes = (count: number) => count * 60_000

test('the code pairs the chat, and works once', async (context) => {
  const { pairings, clock } = await world(context)
  const { code, expires, channel } = await pairings.newCode('telegram')
  assert.match(code, /^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/)
  assert.deepEqual([channel, expires], ['telegram', '2026-01-05T12:10:00.000Z'])
  assert.equal(await pairings.find('telegram', '11'), undefined)
  assert.equal(await pairings.redeem(code, ann), true)
  assert.deepEqual(await pairings.find('telegram', '11'), { ...ann, time: clock.time() })
  assert.deepEqual([await pairings.redeem(code, group), await pairings.redeem(code, ann)], [false, false])
  assert.equal((await pairings.list()).length, 1)
})

test('case, dashes and blanks in a code make no difference', async (context) => {
  const { pairings } = await world(context)
  const ways = [
    (code: string) => code.toLowerCase(),
    (code: string) => code.replace('-', ''),
    (code: string) => ` ${code.replace('-', '').replaceAll(/(?<=.)/g, ' ')}\n`,
    (code: string) => code.replace('-', ' – '),
  ]
  for (const way of ways) assert.equal(await pairings.redeem(way((await pairings.newCode('telegram')).code), ann), true)
})

test('a code holds for ten minutes, and only until the next one', async (context) => {
  const { pairings, clock } = await world(context)
  const first = await pairings.newCode('telegram')
  const second = await pairings.newCode('telegram')
  assert.notEqual(first.code, second.code)
  assert.equal(await pairings.redeem(first.code, ann), false)
  await clock.advance(minutes(10) - 1)
  assert.equal(await pairings.redeem(second.code, ann), true)
  const third = await pairings.newCode('telegram')
  await clock.advance(minutes(10))
  assert.equal(await pairings.redeem(third.code, group), false)
})

test('a code is for its own channel', async (context) => {
  const { pairings } = await world(context)
  const { code } = await pairings.newCode('telegram')
  assert.equal(await pairings.redeem(code, { ...ann, channel: 'matrix' }), false)
  assert.equal(await pairings.redeem(code, ann), true)
  assert.equal(await pairings.find('matrix', '11'), undefined)
})

test('after five wrong ones the right code is wrong too, until there is a new one', async (context) => {
  const { pairings } = await world(context)
  const { code } = await pairings.newCode('telegram')
  for (const chat of ['1', '1', '2', '2', '3']) {
    assert.equal(await pairings.redeem('AAAA-AAAA', { ...ann, chat }), false)
  }
  assert.equal(await pairings.redeem(code, ann), false)
  assert.equal(await pairings.redeem((await pairings.newCode('telegram')).code, ann), true)
})

test('a stranger alone cannot take the code away from its owner, and three tries are all he has', async (context) => {
  const { pairings } = await world(context)
  const { code } = await pairings.newCode('telegram')
  const stranger = { ...ann, chat: '666' }
  await Promise.all(Array.from({ length: 20 }, (_, n) => pairings.redeem(`AAAA-AA${n}`, stranger)))
  assert.equal(await pairings.redeem(code, stranger), false)
  assert.equal(await pairings.redeem(code, ann), true)
})

test('a chat may be wrong twice, and after its third wrong try the right code is wrong too', async (context) => {
  const { pairings } = await world(context)
  for (const [wrong, pairs] of [
    [2, true],
    [3, false],
  ] as const) {
    const { code } = await pairings.newCode('telegram')
    for (let tries = 0; tries < wrong; tries++) await pairings.redeem('AAAA-AAAA', ann)
    assert.equal(await pairings.redeem(code, ann), pairs, `${wrong} wrong tries`)
  }
})

test('wrong tries are counted over restarts', async (context) => {
  const { pairings, open } = await world(context)
  const { code } = await pairings.newCode('telegram')
  for (const chat of ['1', '2', '3', '4']) await pairings.redeem('AAAA-AAAA', { ...ann, chat })
  const after = (await open()).pairings
  await after.redeem('AAAA-AAAA', { ...ann, chat: '5' })
  assert.equal(await after.redeem(code, ann), false)
})

test('a code that one process made works in another, and in one of them alone', async (context) => {
  const { pairings, open } = await world(context)
  const other = (await open()).pairings
  const { code } = await other.newCode('telegram')
  const told = await Promise.all([pairings.redeem(code, ann), other.redeem(code, group)])
  assert.equal(told.filter(Boolean).length, 1)
  assert.equal((await other.list()).length, 1)
})

test('chats are listed in the order in which they were paired, and removed', async (context) => {
  const { pairings, clock, open } = await world(context)
  const pair = async (chat: Chat) => {
    await clock.advance(1)
    assert.equal(await pairings.redeem((await pairings.newCode(chat.channel)).code, chat), true)
  }
  for (const chat of [ann, group, { ...ann, channel: 'matrix' }]) await pair(chat)
  const chats = async (channel?: string) =>
    (await (await open()).pairings.list(channel)).map((each) => `${each.channel} ${each.chat}`)
  assert.deepEqual(await chats(), ['telegram 11', 'telegram -100', 'matrix 11'])
  assert.deepEqual([await pairings.remove('telegram', '11'), await pairings.remove('telegram', '11')], [true, false])
  assert.equal(await pairings.find('telegram', '11'), undefined)
  assert.deepEqual(await chats('telegram'), ['telegram -100'])
  await pair(ann)
  assert.deepEqual(await chats(), ['telegram -100', 'matrix 11', 'telegram 11'])
})

test('the audit records who was paired and unpaired, and no file contains a code', async (context) => {
  const { pairings, store, path } = await world(context)
  const codes: string[] = []
  for (const chat of [ann, group]) {
    const { code } = await pairings.newCode('telegram')
    codes.push(code, code.replace('-', ''))
    await pairings.redeem('AAAA-AAAA', chat)
    await pairings.redeem(code, chat)
  }
  await pairings.remove('telegram', '11')
  codes.push((await pairings.newCode('telegram')).code)
  const records = (await store.audit()).map(({ kind, rule, input }) => [kind, rule, JSON.parse(input!).chat])
  assert.deepEqual(records, [
    ['change', 'paired', '11'],
    ['change', 'paired', '-100'],
    ['change', 'unpaired', '11'],
  ])
  assert.equal((await verifyAudit(store)).type, 'whole')
  await store.close()
  const disk = (await Promise.all(['', '-wal'].map((end) => readFile(path + end, 'latin1').catch(() => '')))).join('')
  assert.ok(disk.includes('Family') && codes.every((code) => !disk.includes(code)))
})

test('nothing is a code where there is none', async (context) => {
  const { pairings } = await world(context)
  assert.deepEqual([await pairings.redeem('', ann), await pairings.redeem('-', ann)], [false, false])
  await pairings.newCode('telegram')
  assert.equal(await pairings.redeem('x'.repeat(1_000_000), ann), false)
})
