import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { at, start, type StoreCase } from './session-store-entries.ts'

/** What records with a history promise. */
export function recordCases(storeCase: StoreCase): void {
  storeCase('a record keeps each of its versions, the newest first', async (store, place) => {
    const first = await store.putRecord({ kind: 'agent', id: 'poet', value: { name: 'Poet', tools: [1, null] } }, at(1))
    assert.deepEqual(first, {
      kind: 'agent',
      id: 'poet',
      version: 1,
      time: at(1),
      value: { name: 'Poet', tools: [1, null] },
    })
    const second = await store.putRecord({ kind: 'agent', id: 'poet', value: 'lone \ud800 字 \u0000' }, at(2))
    assert.deepEqual([second.version, second.time], [2, at(2)])
    await store.close()
    const again = await place.open()
    assert.deepEqual(await again.record('agent', 'poet'), second)
    assert.deepEqual(await again.recordVersions('agent', 'poet'), [second, first])
    assert.deepEqual(
      [await again.record('agent', 'unknown'), await again.recordVersions('agent', 'unknown')],
      [undefined, []],
    )
    await again.close()
  })

  storeCase('records of one id and different kinds have nothing to do with each other', async (store) => {
    await store.putRecord({ kind: 'agent', id: 'a', value: 1 }, at(1))
    const project = await store.putRecord({ kind: 'project', id: 'a', value: 2, after: 0 }, at(1))
    assert.equal(project.version, 1)
    assert.deepEqual(await store.records('project'), [project])
    assert.deepEqual(await store.records('prompt'), [])
  })

  storeCase('records are listed in the order they were made, however they were edited since', async (store) => {
    for (const id of ['c', 'a', 'b']) await store.putRecord({ kind: 'agent', id, value: id }, at(1))
    for (const id of ['b', 'c']) await store.putRecord({ kind: 'agent', id, value: `${id} again` }, at(2))
    const values = async () => (await store.records('agent')).map((record) => record.value)
    assert.deepEqual(await values(), ['c again', 'a', 'b again'])
    const removed = await store.putRecord({ kind: 'agent', id: 'c', value: null }, at(3))
    assert.deepEqual(await values(), ['a', 'b again'])
    assert.deepEqual(await store.record('agent', 'c'), removed)
    assert.equal(removed.value, null)
    await store.putRecord({ kind: 'agent', id: 'c', value: 'c is back' }, at(4))
    assert.deepEqual(await values(), ['c is back', 'a', 'b again'])
    assert.deepEqual(
      (await store.recordVersions('agent', 'c')).map((record) => [record.version, record.value]),
      [
        [4, 'c is back'],
        [3, null],
        [2, 'c again'],
        [1, 'c'],
      ],
    )
  })

  storeCase(
    'who edits an older version than the newest changes nothing, and hears what stands there',
    async (store) => {
      const change = (value: unknown, after?: number) =>
        store.putRecord({ kind: 'prompt', id: 'p', value, ...(after !== undefined && { after }) }, at(1))
      await assert.rejects(change('x', 1), { code: 'conflict', message: /based on version 1, but it does not exist/ })
      await change('one', 0)
      await assert.rejects(change('x', 0), { code: 'conflict', message: /should be new, but its newest version is 1/ })
      await change('two', 1)
      for (const after of [0, 1, 3]) await assert.rejects(change('x', after), { code: 'conflict' })
      await change('three')
      assert.deepEqual(
        (await store.recordVersions('prompt', 'p')).map((record) => record.value),
        ['three', 'two', 'one'],
      )
    },
  )

  storeCase('of two edits of one version that are made at once, one is written', async (store) => {
    await store.putRecord({ kind: 'prompt', id: 'p', value: 'one' }, at(1))
    const outcomes = await Promise.allSettled(
      ['left', 'right'].map((value) => store.putRecord({ kind: 'prompt', id: 'p', value, after: 1 }, at(2))),
    )
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected'],
    )
    assert.equal((await store.record('prompt', 'p'))?.version, 2)
  })

  storeCase('what has no JSON is no value of a record', async (store) => {
    await assert.rejects(store.putRecord({ kind: 'prompt', id: 'p', value: undefined }, at(1)), { code: 'invalid' })
    assert.equal(await store.record('prompt', 'p'), undefined)
  })

  storeCase('a record and what is written with it appear together or not at all', async (store) => {
    const record = { type: 'record', change: { kind: 'agent', id: 'a', value: 1 }, time: at(1) } as const
    const audit = { type: 'audit', facts: { kind: 'change' }, time: at(1) } as const
    const late = { ...record, change: { ...record.change, after: 0 } }
    await assert.rejects(store.transaction([record, audit, late]), { code: 'conflict' })
    assert.deepEqual([await store.record('agent', 'a'), await store.audit()], [undefined, []])
    await store.transaction([record, audit])
    assert.deepEqual([(await store.record('agent', 'a'))?.version, (await store.audit()).length], [1, 1])
  })

  storeCase('records outlive every session', async (store) => {
    await store.append('a', [start], at(1))
    await store.putRecord({ kind: 'agent', id: 'a', value: 1 }, at(1))
    await store.deleteSession('a')
    assert.equal((await store.records('agent')).length, 1)
  })
}

/** What named values promise. */
export function valueCases(storeCase: StoreCase): void {
  storeCase('a named value is what was put last', async (store, place) => {
    assert.equal(await store.value('calibration'), undefined)
    await store.putValue('calibration', { factor: 1.25, seen: [1, null, '字'] })
    await store.putValue('nothing', null)
    await store.putValue('calibration', { factor: 2 })
    await assert.rejects(store.putValue('bad', undefined), { code: 'invalid' })
    await store.close()
    const again = await place.open()
    assert.deepEqual(await again.value('calibration'), { factor: 2 })
    assert.equal(await again.value('nothing'), null)
    await again.close()
  })
}

/** What contents promise: texts by their hash, and those that go with the sessions whose words they hold. */
export function contentCases(storeCase: StoreCase): void {
  storeCase('a text is stored once under its SHA-256', async (store, place) => {
    const text = 'You are helpful. 字'
    const hash = createHash('sha256').update(text).digest('hex')
    assert.deepEqual(await Promise.all([store.putContent(text), store.putContent(text)]), [hash, hash])
    assert.equal(await store.putContent(text), hash)
    assert.equal(await store.content(hash), text)
    assert.equal(await store.content(hash.replaceAll(/./g, '0')), undefined)
    await store.close()
    const again = await place.open()
    assert.equal(await again.content(hash), text)
    await again.close()
  })

  storeCase('texts that UTF-8 cannot hold come back as they were, under addresses of their own', async (store) => {
    const texts = ['', '\u0000', '\ud800', '\ufffd', '\ud801', 'a\udc00b']
    const hashes = await Promise.all(texts.map((text) => store.putContent(text)))
    assert.equal(new Set(hashes).size, texts.length)
    assert.deepEqual(await Promise.all(hashes.map((hash) => store.content(hash))), texts)
  })

  storeCase('a content that holds words of a session goes with it, and does not come back', async (store) => {
    for (const id of ['a', 'b', 'c']) await store.append(id, [start], at(1))
    const [ofA, ofBoth, ofC] = [
      await store.putContent('words of a', ['a']),
      await store.putContent('words of a and b', ['a', 'b']),
      await store.putContent('words of c', ['c']),
    ]
    const left = () => Promise.all([ofA, ofBoth, ofC].map((hash) => store.content(hash)))
    assert.deepEqual(await left(), ['words of a', 'words of a and b', 'words of c'])
    await store.deleteSession('a')
    assert.deepEqual(await left(), [undefined, undefined, 'words of c'])
    assert.deepEqual([await store.contentWasRemoved(ofBoth), await store.contentWasRemoved(ofC)], [true, false])
    assert.equal(await store.putContent('words of a and b', ['a', 'b']), ofBoth)
    assert.equal(await store.content(ofBoth), undefined, 'a writer that was under way does not bring it back')
    assert.equal(await store.withdrawSession('c'), 1)
    await store.putContent('words of c', ['c'])
    assert.deepEqual([await store.content(ofC), (await store.session('c'))?.id], [undefined, 'c'])
    await assert.rejects(store.withdrawSession('unknown'), { code: 'not-found' })
  })

  storeCase('a content that was written for one session after another goes with the first that goes', async (store) => {
    for (const id of ['a', 'b']) await store.append(id, [start], at(1))
    const hash = await store.putContent('the same words', ['a'])
    await store.putContent('the same words', ['b'])
    await store.deleteSession('a')
    assert.deepEqual([await store.content(hash), await store.contentWasRemoved(hash)], [undefined, true])
  })
}
