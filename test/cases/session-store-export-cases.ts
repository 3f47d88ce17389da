import assert from 'node:assert/strict'
import { importSession, type SessionStore } from '../../src/session.ts'
import {
  approvalRequest,
  at,
  call,
  approvalEntry,
  exportLines,
  input,
  reply,
  turnStart,
  start,
  type StoreCase,
  type StoreFixture,
  withStore,
  toolRun,
  wholeTurn,
} from './session-store-entries.ts'

/** Cases for export and import. */
export function exportCases(storeCase: StoreCase, makeFixture: () => Promise<StoreFixture>): void {
  storeCase('an exported session can be imported elsewhere and exported again to the same bytes', async (store) => {
    const lines = await exportLines(await fillStore(store))
    await withStore(makeFixture, async (other) => {
      assert.equal(await importSession(other, lines), 'a')
      assert.deepEqual(await exportLines(other), lines)
      assert.deepEqual(await other.entries('a'), await store.entries('a'))
      assert.deepEqual(await other.turns('a'), await store.turns('a'))
      assert.deepEqual(await other.session('a'), await store.session('a'))
      assert.deepEqual(await other.calls('a'), await store.calls('a'))
    })
  })

  storeCase('an export starts with a header, contains the texts of its calls, and ends with counts', async (store) => {
    const texts = await exportLines(await fillStore(store))
    assert.ok(texts.every((text) => !/[\n\r\u2028\u2029]/.test(text)))
    const lines = texts.map((text) => JSON.parse(text))
    assert.deepEqual(lines[0].foreword, 'session')
    const contents = lines.filter((line) => 'content' in line).map((line) => line.content.text)
    assert.deepEqual(contents, ['You are helpful.', 'lone \ud800, line\u2028ends\u2029'])
    assert.deepEqual(lines.at(-1), { end: { entries: 9, calls: 2, files: 0, contents: 2 } })
    await assert.rejects(exportLines(store, 'unknown'), { code: 'not-found' })
  })

  storeCase('an import never changes an existing session, and can use another id', async (store) => {
    const lines = await exportLines(await fillStore(store))
    await assert.rejects(importSession(store, lines), { code: 'conflict' })
    assert.equal(await importSession(store, lines, { as: 'copy' }), 'copy')
    assert.deepEqual(await exportLines(store), lines)
    const copies = (await store.calls('copy')).map((record) => [record.id, record.session, record.outcome])
    assert.deepEqual(copies.flat(), ['copy.c1', 'copy', { durationMs: 7 }, 'copy.c2', 'copy', undefined])
    const named = (await store.entries('copy', { types: ['assembly'] })).map((entry) => 'call' in entry && entry.call)
    assert.deepEqual(named, ['copy.c1'])
    assert.equal(await store.bound({ channel: 'web', conversation: '1' }), 'a')
    await assert.rejects(importSession(store, lines, { as: 'copy' }), { code: 'conflict' })
  })

  storeCase('an invalid import leaves nothing, and the error names the line', async (store) => {
    const lines = await exportLines(await fillStore(store))
    await store.deleteSession('a')
    const broken: readonly [lines: readonly string[], line: number][] = [
      [[], 1],
      [lines.slice(1), 1],
      [[lines[0]!, ...lines], 2],
      [lines.with(2, '{"entry":'), 3],
      [lines.with(2, '{"entry":{"seq":2,"time":"yesterday","type":"turn-start","turn":"t1"}}'), 3],
      [lines.with(2, `{"entry":{"seq":2,"time":"${at(1)}","type":"unheard-of"}}`), 3],
      [lines.toSpliced(3, 1), 4],
      [lines.map((line) => line.replace('You are helpful.', 'You are not.')), 13],
      [lines.slice(0, -1), lines.length],
      [lines.toSpliced(-2, 1), lines.length - 1],
      [[...lines, lines[1]!], lines.length + 1],
      [lines.with(0, lines[0]!.replace('"version":1', '"version":2')), 1],
    ]
    for (const [given, line] of broken) {
      await assert.rejects(importSession(store, given), { code: 'invalid', message: new RegExp(`^Line ${line} of`) })
    }
    assert.deepEqual(await store.sessions(), [])
    assert.equal(await importSession(store, lines), 'a')
  })

  storeCase('an export contains decisions, and results that the log only references', async (store) => {
    const hash = await store.putContent('the whole result')
    const opening = [start, input('t1'), turnStart('t1'), approvalRequest('t1')]
    const approve = approvalEntry('t1', { type: 'approve', scope: 'once' })
    await store.append('a', [...opening, approve, ...toolRun('t1', hash)], at(1))
    await store.append(
      'a',
      [approvalRequest('t1', 'p2'), approvalEntry('t1', { type: 'deny', reason: 'no' }, 'p2')],
      at(2),
    )
    const lines = await exportLines(store)
    await withStore(makeFixture, async (other) => {
      await importSession(other, lines)
      assert.deepEqual(await exportLines(other), lines)
      assert.deepEqual(await other.entries('a'), await store.entries('a'))
      assert.equal(await other.content(hash), 'the whole result')
      await importSession(other, lines, { as: 'copy' })
      const [question] = await other.entries('copy', { types: ['approval-request'] })
      assert.deepEqual(question, { ...approvalRequest('t1'), call: 'copy.c1', session: 'copy', seq: 4, time: at(1) })
    })
    for (const [sound, odd] of [
      ['"scope":"once"', '"scope":"always"'],
      ['"reason":"no"', '"reason":7'],
      [`"content":"sha256:${hash}"`, '"content":"/etc/passwd"'],
      ['"request":{"tool":"shell",', '"request":{'],
    ] as const) {
      const broken = lines.map((line) => line.replace(sound, odd))
      assert.notDeepEqual(broken, lines)
      await assert.rejects(importSession(store, broken, { as: 'odd' }), { code: 'invalid' })
    }
  })

  storeCase('an inconsistent export is not imported in part', async (store) => {
    const lines = await exportLines(await fillStore(store))
    await store.deleteSession('a')
    await assert.rejects(importSession(store, lines.with(3, lines[3]!.replace('"t1"', '"unknown"'))), {
      code: 'not-found',
    })
    assert.deepEqual(await store.sessions(), [])
  })
}

async function fillStore(store: SessionStore): Promise<SessionStore> {
  const hash = await store.putContent('You are helpful.')
  const odd = await store.putContent('lone \ud800, line\u2028ends\u2029')
  await store.putContent('of somebody else')
  await store.append('a', [start, ...wholeTurn('t1')], at(1))
  await store.append('a', [input('t2', 'key'), turnStart('t2')], at(2))
  await store.append('a', [{ type: 'assembly', turn: 't2', call: 'c1' }, reply('t2')], at(3))
  const refers = { layers: [{ text: `sha256:${hash}` }, `sha256:${odd}`, `sha256:${'0'.repeat(64)}`] }
  await store.putCall(call('c1', { session: 'a', turn: 't2', upTo: 7, input: refers }))
  await store.finishCall('c1', { durationMs: 7 })
  await store.putCall(call('c2', { session: 'a' }))
  await store.bind({ channel: 'web', conversation: '1' }, 'a')
  return store
}
