import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { RecallAnswer } from '../../src/search.ts'
import { scriptedModel } from '../../src/testing.ts'
import { served } from '../server/served.ts'
import { gate, type Opened, opened } from './opened.ts'

test('the search finds a message as it was edited while it waited, and not as it was before', async (t) => {
  const { at, session, two, answer } = await withWaiting(t)
  assert.deepEqual(await found(at, 'otter'), ['An otter came by.'])
  await at.runtime.editWaiting(session, two, { text: `A badger came by. ${'Sand and stones. '.repeat(200)}` })
  assert.deepEqual(await found(at, 'otter'), [])
  assert.ok((await found(at, 'badger')).length === 1 && (await found(at, 'stones')).length > 1)
  await at.runtime.editWaiting(session, two, { text: 'A lynx came by.' })
  assert.deepEqual(
    [await found(at, 'badger'), await found(at, 'stones'), await found(at, 'lynx')],
    [[], [], ['A lynx came by.']],
  )
  await answer()
  assert.deepEqual([await found(at, 'otter'), await found(at, 'lynx')], [[], ['A lynx came by.']])
  // What is beside a replaced message is beside its neighbour.
  const [heron] = (await at.runtime.recall.find({ text: 'heron' })).passages
  assert.equal(heron?.after?.text, 'A wolf came by.')
  // The log has both, and an index that is built from it at once finds the same.
  const again = await at.reopened()
  for (const text of ['otter', 'badger', 'stones']) {
    assert.deepEqual(await found(again, text), [], text)
    assert.deepEqual(await found(again, text, [session]), [], text)
  }
  assert.deepEqual(await found(again, 'lynx', [session]), ['A lynx came by.'])
})

test('the search does not find a message that was taken back while it waited, but one that was undone', async (t) => {
  const { at, session, two, answer } = await withWaiting(t)
  assert.deepEqual(await found(at, 'otter'), ['An otter came by.'])
  assert.equal(await at.runtime.withdraw(session, two), true)
  assert.deepEqual(await found(at, 'otter'), [])
  await answer()
  await at.runtime.undo(session)
  assert.deepEqual([await found(at, 'otter'), await found(at, 'wolf')], [[], ['A wolf came by.']])
})

test('over HTTP, what is found is what was edited', async (t) => {
  const { at, session, two, answer } = await withWaiting(t)
  const { json, request } = served(at.runtime)
  const search = async (word: string) =>
    textsWith(word, (await json<RecallAnswer>(`/api/search/history?q=${word}`)).passages)
  assert.deepEqual(await search('otter'), ['An otter came by.'])
  const path = `/api/sessions/${session}/turns/${two}`
  assert.equal((await request(path, { method: 'PATCH', body: { text: 'A lynx came by.' } })).status, 200)
  assert.deepEqual([await search('otter'), await search('lynx')], [[], ['A lynx came by.']])
  assert.equal((await request(`${path}/withdraw`, { method: 'POST' })).status, 200)
  assert.deepEqual([await search('lynx'), await search('heron')], [[], ['A heron came by.']])
  await answer()
})

/** A session whose first message is being answered; the second and the third wait. */
async function withWaiting(t: TestContext) {
  const first = gate()
  const model = scriptedModel({
    answer: (_, n) => ({ text: 'ok', before: () => (n === 1 ? first.passed : undefined) }),
  })
  const at = await opened(t, { model })
  const { session } = await at.runtime.submit({ text: 'A heron came by.' })
  const { turn: two } = await at.runtime.submit({ session, text: 'An otter came by.' })
  const three = await at.runtime.submit({ session, text: 'A wolf came by.' })
  const answer = async () => {
    first.open()
    await at.ended(three)
  }
  return { at, session, two, answer }
}

async function found({ runtime }: Opened, text: string, sessions?: readonly string[]): Promise<readonly string[]> {
  return textsWith(text, (await runtime.recall.find({ text, ...(sessions && { sessions }) })).passages)
}

/** A passage may also be found by the words beside it. */
function textsWith(word: string, passages: RecallAnswer['passages']): readonly string[] {
  return passages.map(({ text }) => text).filter((text) => text.includes(word))
}
