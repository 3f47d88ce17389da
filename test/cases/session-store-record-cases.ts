import assert from 'node:assert/strict'
import { sha256 } from '../../src/platform.ts'
import { at, start, type StoreCase } from './session-store-entries.ts'

/** Cases for versioned records. */
export function recordCases(storeCase: StoreCase): void {
  storeCase('a record keeps all of its versions, newest first', async (store, reopen) => {
    const poet = { kind: 'agent', id: 'poet', value: { name: 'Poet', tools: [1, null] } }
    const first = await store.putRecord(poet, at(1))
    assert.deepEqual(first, { ...poet, version: 1, time: at(1) })
    const second = await store.putRecord({ kind: 'agent', id: 'poet', value: 'lone \ud800 字 \u0000' }, at(2))
    assert.deepEqual([second.version, second.time], [2, at(2)])
    const again = await reopen()
    assert.deepEqual(await again.record('agent', 'poet'), second)
    assert.deepEqual(await again.recordVersions('agent', 'poet'), [second, first])
    assert.equal(await again.record('agent', 'unknown'), undefined)
    assert.deepEqual(await again.recordVersions('agent', 'unknown'), [])
  })

  storeCase('records with the same id and different kinds are independent', async (store) => {
    await store.putRecord({ kind: 'agent', id: 'a', value: 1 }, at(1))
    const project = await store.putRecord({ kind: 'project', id: 'a', value: 2, after: 0 }, at(1))
    assert.equal(project.version, 1)
    assert.deepEqual(await store.records('project'), [project])
    assert.deepEqual(await store.records('prompt'), [])
  })

  storeCase('records are listed in the order of creation, whatever edits followed', async (store) => {
    for (const id of ['c', 'a', 'b']) await store.putRecord({ kind: 'agent', id, value: id }, at(1))
    for (const id of ['b', 'c']) await store.putRecord({ kind: 'agent', id, value: `${id} again` }, at(2))
    const values = async () => (await store.records('agent')).map((record) => record.value)
    assert.deepEqual(await values(), ['c again', 'a', 'b again'])
    const removed = await store.putRecord({ kind: 'agent', id: 'c', value: null }, at(3))
    assert.deepEqual(await values(), ['a', 'b again'])
    assert.deepEqual(await store.record('agent', 'c'), removed)
    assert.equal(removed.value, null)
    assert.deepEqual(await store.removedRecords('agent'), [removed])
    assert.deepEqual(await store.removedRecords('project'), [])
    await store.putRecord({ kind: 'agent', id: 'c', value: 'c is back' }, at(4))
    assert.deepEqual(await values(), ['c is back', 'a', 'b again'])
    assert.deepEqual(await store.removedRecords('agent'), [])
    const versions = (await store.recordVersions('agent', 'c')).map(({ version, value }) => ({ version, value }))
    const expected = ['c is back', null, 'c again', 'c'].map((value, index) => ({ version: 4 - index, value }))
    assert.deepEqual(versions, expected)
  })

  storeCase('an edit of an older version changes nothing and returns the newest version', async (store) => {
    const change = (value: unknown, after?: number) =>
      store.putRecord({ kind: 'prompt', id: 'p', value, ...(after !== undefined && { after }) }, at(1))
    await assert.rejects(change('x', 1), { code: 'conflict', message: /based on version 1, but it does not exist/ })
    await change('one', 0)
    await assert.rejects(change('x', 0), { code: 'conflict', message: /should be new, but its newest version is 1/ })
    await change('two', 1)
    for (const after of [0, 1, 3]) await assert.rejects(change('x', after), { code: 'conflict' })
    await change('three')
    const values = (await store.recordVersions('prompt', 'p')).map((record) => record.value)
    assert.deepEqual(values, ['three', 'two', 'one'])
  })

  storeCase('of two concurrent edits of one version, one is written', async (store) => {
    await store.putRecord({ kind: 'prompt', id: 'p', value: 'one' }, at(1))
    const outcomes = await Promise.allSettled(
      ['left', 'right'].map((value) => store.putRecord({ kind: 'prompt', id: 'p', value, after: 1 }, at(2))),
    )
    const statuses = outcomes.map((outcome) => outcome.status)
    assert.deepEqual(statuses, ['fulfilled', 'rejected'])
    assert.equal((await store.record('prompt', 'p'))?.version, 2)
  })

  storeCase('a record rejects a value that has no JSON', async (store) => {
    await assert.rejects(store.putRecord({ kind: 'prompt', id: 'p', value: undefined }, at(1)), { code: 'invalid' })
    assert.equal(await store.record('prompt', 'p'), undefined)
  })

  storeCase('a record and the other writes of its transaction are written together or not at all', async (store) => {
    const record = { type: 'record', change: { kind: 'agent', id: 'a', value: 1 }, time: at(1) } as const
    const audit = { type: 'audit', facts: { kind: 'change' }, time: at(1) } as const
    const late = { ...record, change: { ...record.change, after: 0 } }
    await assert.rejects(store.transaction([record, audit, late]), { code: 'conflict' })
    assert.deepEqual([await store.record('agent', 'a'), await store.audit()], [undefined, []])
    await store.transaction([record, audit])
    assert.deepEqual([(await store.record('agent', 'a'))?.version, (await store.audit()).length], [1, 1])
  })

  storeCase('records remain when sessions are deleted', async (store) => {
    await store.append('a', [start], at(1))
    await store.putRecord({ kind: 'agent', id: 'a', value: 1 }, at(1))
    await store.deleteSession('a')
    assert.equal((await store.records('agent')).length, 1)
  })
}

/** Cases for named values. */
export function valueCases(storeCase: StoreCase): void {
  storeCase('a named value is the last one that was put', async (store, reopen) => {
    assert.equal(await store.value('calibration'), undefined)
    await store.putValue('calibration', { factor: 1.25, seen: [1, null, '字'] })
    await store.putValue('nothing', null)
    await store.putValue('calibration', { factor: 2 })
    await assert.rejects(store.putValue('bad', undefined), { code: 'invalid' })
    const again = await reopen()
    assert.deepEqual(await again.value('calibration'), { factor: 2 })
    assert.equal(await again.value('nothing'), null)
  })
}

/** Cases for contents: texts by their hash, some of them deleted with a session. */
export function contentCases(storeCase: StoreCase): void {
  storeCase('a text is stored once under its SHA-256', async (store, reopen) => {
    const text = 'You are helpful. 字'
    const hash = sha256(text)
    assert.deepEqual(await Promise.all([store.putContent(text), store.putContent(text)]), [hash, hash])
    assert.equal(await store.putContent(text), hash)
    assert.equal(await store.content(hash), text)
    assert.equal(await store.content(hash.replaceAll(/./g, '0')), undefined)
    const again = await reopen()
    assert.equal(await again.content(hash), text)
  })

  storeCase('texts that UTF-8 cannot encode are stored unchanged, each under its own hash', async (store) => {
    const texts = ['', '\u0000', '\ud800', '\ufffd', '\ud801', 'a\udc00b']
    const hashes = await Promise.all(texts.map((text) => store.putContent(text)))
    assert.equal(new Set(hashes).size, texts.length)
    assert.deepEqual(await Promise.all(hashes.map((hash) => store.content(hash))), texts)
  })

  storeCase('a content with words of a session is deleted with the session, and cannot be put again', async (store) => {
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

  storeCase(
    'shared contents go once each of their sessions has rested and none is in use; others stay',
    async (store) => {
      for (const [id, minute] of Object.entries({ old: 1, used: 2, young: 9 }))
        await store.append(id, [start], at(minute))
      const put = (words: string, holds: readonly string[], shared = true) => store.putContent(words, holds, { shared })
      const gone = await put('only of the old one', ['old'])
      const ofMany = await Promise.all(Array.from({ length: 600 }, (_, index) => put(`old words ${index}`, ['old'])))
      const left = await Promise.all([
        put('only of the used one', ['used']),
        put('not shared', ['old'], false),
        put('of both', ['old', 'young']),
      ])
      const isUsed = (session: string) => session === 'used'
      assert.equal(await store.removeRestingContents({ before: at(5), isUsed }), 601)
      assert.equal(await store.removeRestingContents({ before: at(5), isUsed }), 0)
      assert.deepEqual([await store.content(gone), await store.contentWasRemoved(gone)], [undefined, true])
      assert.equal(await store.content(ofMany[599]!), undefined)
      for (const hash of left) assert.equal(typeof (await store.content(hash)), 'string')
      await put('only of the old one', ['old'])
      assert.equal(await store.content(gone), 'only of the old one')
    },
  )

  storeCase('a content of several sessions is deleted with the first of them', async (store) => {
    for (const id of ['a', 'b']) await store.append(id, [start], at(1))
    const hash = await store.putContent('the same words', ['a'])
    await store.putContent('the same words', ['b'])
    await store.deleteSession('a')
    assert.deepEqual([await store.content(hash), await store.contentWasRemoved(hash)], [undefined, true])
  })
}
