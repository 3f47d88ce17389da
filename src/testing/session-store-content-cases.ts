import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { StoreCase } from './session-store-place.ts'
import { at, start } from './session-store-entries.ts'

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
