import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { forAllStored } from '../../../../test/arbitrary/for-all.ts'
import { sha256, systemClock } from '../../../platform.ts'
import { findCounter } from '../../models/counters.ts'
import { readStoredBody } from '../stored-body.ts'
import type { BodyToAnalyse, BodyWork } from './analysed-body.ts'
import { analyst as analystOf } from './analyst.ts'
import { createBodyAnalysis } from './body-analysis.ts'

const [first, second] = [1, 2].map((turns) =>
  JSON.stringify({
    model: 'm',
    system: 'You help. '.repeat(500),
    messages: Array.from({ length: turns * 2 - 1 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Words ${at}: ${'and more of them '.repeat(300)}`,
    })),
  }),
) as [string, string]

const analyst = analystOf(systemClock)

function bodyOf(id: string, text: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): BodyToAnalyse {
  const head = { method: 'POST', path: '/v1/messages', headers }
  return { id, head, bytes: Buffer.from(text), provider: 'anthropic', counter: 'tokenx' }
}

test('the thread says of a body what this thread says of it', async () => {
  const here = createBodyAnalysis(systemClock, findCounter)
  for (const [id, text] of [
    ['a', first],
    ['b', second],
    ['c', 'no JSON'],
    ['d', ''],
  ] as const) {
    assert.deepEqual(await analyst.take(bodyOf(id, text)), await here.take(bodyOf(id, text)))
  }
  assert.deepEqual(await analyst.compare('a', 'b'), await here.compare('a', 'b'))
  assert.equal((await analyst.compare('a', 'b'))?.goesOn, true)
  await analyst.take(bodyOf('e', first.replace('Words 0', 'Other words 0')))
  assert.equal((await analyst.compare('a', 'e'))?.goesOn, false)
  assert.equal(await analyst.compare('a', 'c'), undefined)
  assert.equal(await analyst.compare('never taken', 'b'), undefined)
})

test('a body is put together from its contents', async () => {
  const { stored } = await analyst.take(bodyOf('whole', second))
  const texts = await analyst.contents('whole', stored.hashes)
  const contents = new Map(stored.hashes.map((hash, index) => [hash, texts[index]!]))
  const read = await readStoredBody({ clock: systemClock, content: async (hash) => contents.get(hash) }, stored.body)
  assert.equal('bytes' in read && Buffer.from(read.bytes).toString(), second)
  assert.equal(stored.body.sha256, sha256(second))
  await assert.rejects(analyst.contents('whole', stored.hashes), /is not kept any more/)
})

/** Texts that do and do not go on from each other, in bodies of each format, also with fields that come twice. */
const conversation = fc
  .record({
    path: fc.constantFrom('/v1/messages', '/v1/responses', '/v1/chat/completions'),
    texts: fc.array(fc.oneof(fc.string(), fc.constantFrom('é'.repeat(700), 'word '.repeat(400), '"\\', '😀')), {
      minLength: 1,
      maxLength: 12,
    }),
    cuts: fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }),
    before: fc.constantFrom(
      {},
      { system: [{ type: 'text', text: 'You help. '.repeat(60) }], tools: [{ name: 'read' }] },
    ),
    behind: fc.constantFrom('', ',"tools":[{"name":"write"}]', ',"messages":[{"role":"user","content":"again"}]'),
    odd: fc.nat(40),
  })
  .map(({ path, texts, cuts, before, behind, odd }) => {
    const list = path === '/v1/responses' ? 'input' : 'messages'
    const elements = texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: text }))
    const bodies = cuts.map((cut, at) => {
      const said = [...elements.slice(0, cut), { role: 'user', content: `Call ${at}. ${'and '.repeat(100 * at)}` }]
      const json = JSON.stringify({ model: 'm', ...before, [list]: said })
      const text = at === cuts.length - 1 ? `${json.slice(0, -1)}${behind}}` : json
      return odd === at ? Buffer.from(text).subarray(0, -3) : Buffer.from(text)
    })
    return { path, bodies }
  })

test('what is said of a body that goes on from another is what is said of the whole', async () => {
  await forAllStored(
    conversation,
    async ({ path, bodies }) => {
      const [grown, whole] = [1, 2].map(() => createBodyAnalysis(systemClock, findCounter)) as [BodyWork, BodyWork]
      for (const [at, bytes] of bodies.entries()) {
        const body = { ...bodyOf(`${at}`, bytes), head: { method: 'POST', path, headers: {} } }
        const before = bodies[at - 1]
        const same = before ? sameBytes(before, bytes) : 0
        const rest = { ...body, bytes: Buffer.from(bytes.subarray(same)), after: { id: `${at - 1}`, same } }
        const [one, other] = [(await grown.takeRest(rest)) ?? (await grown.take(body)), await whole.take(body)]
        assert.deepEqual(one, other)
        const { hashes } = other.stored
        assert.deepEqual(await grown.contents(`${at}`, hashes), await whole.contents(`${at}`, hashes))
        if (before)
          assert.deepEqual(await grown.compare(`${at - 1}`, `${at}`), await whole.compare(`${at - 1}`, `${at}`))
      }
    },
    200,
  )
})

function sameBytes(one: Uint8Array, other: Uint8Array): number {
  const different = one.findIndex((byte, at) => byte !== other[at])
  return different < 0 ? one.byteLength : different
}

test('what fails is an answer, and the thread goes on', async () => {
  await assert.rejects(analyst.take({ ...bodyOf('counter', first), counter: 'none' }), /Unknown counter/)
  assert.ok((await analyst.take(bodyOf('after', first))).account)
})

test('a body whose encoding cannot be undone is kept as it came, and has no account', async () => {
  const { account, stored } = await analyst.take({ ...bodyOf('packed', first), isEncoded: true })
  assert.equal(account, undefined)
  assert.deepEqual([stored.isEncoded, stored.body.sha256], [true, sha256(first)])
})

test('the bytes of a call stay where they are, for the call itself', async () => {
  const bytes = Buffer.from(first)
  await analyst.take({ ...bodyOf('kept', ''), bytes })
  assert.equal(bytes.toString(), first)
})
