import assert from 'node:assert/strict'
import type { FileRow, FileState } from '../../src/session.ts'
import { at, file, start, type StoreCase } from './session-store-entries.ts'

/** Cases for rows of files. */
export function fileCases(storeCase: StoreCase): void {
  storeCase('a file row is stored unchanged, with any file name', async (store, reopen) => {
    const rows: readonly FileRow[] = [
      file('f1'),
      file('f2', { name: 'lone \ud800 \u0000 字 "quoted" \u2028.txt', owner: { type: 'project', id: 'p' } }),
      file('f3', { owner: { type: 'agent', id: 'p' }, state: { type: 'processing' } }),
    ]
    for (const row of rows) await store.putFile(row)
    const again = await reopen()
    assert.deepEqual(await again.files(), rows)
    assert.deepEqual(await again.file('f2'), rows[1])
    assert.equal(await again.file('unknown'), undefined)
  })

  storeCase('a second file with the same id is a conflict', async (store) => {
    await store.putFile(file('f1'))
    await assert.rejects(store.putFile(file('f1', { name: 'other.txt' })), { code: 'conflict' })
    assert.deepEqual(await store.files(), [file('f1')])
  })

  storeCase('the state of a file changes, and its other fields stay', async (store) => {
    const row = file('f1', { state: { type: 'processing' } })
    await store.putFile(row)
    for (const state of states) {
      await store.setFileState('f1', state)
      assert.deepEqual(await store.file('f1'), { ...row, state })
      assert.deepEqual(await store.files({ state: state.type }), [{ ...row, state }])
      assert.deepEqual(await store.files({ state: 'processing' }), [])
    }
    await assert.rejects(store.setFileState('unknown', states[0]!), { code: 'not-found' })
  })

  storeCase('a file that gets a new owner belongs to that owner alone', async (store) => {
    await store.putFile(file('f1'))
    await store.setFileOwner('f1', { type: 'project', id: 'p' })
    assert.deepEqual(await store.files({ owner: { type: 'session', id: 'a' } }), [])
    const moved = file('f1', { owner: { type: 'project', id: 'p' } })
    assert.deepEqual(await store.files({ owner: { type: 'project', id: 'p' } }), [moved])
    await assert.rejects(store.setFileOwner('unknown', moved.owner), { code: 'not-found' })
  })

  storeCase('files are listed in the order of arrival, and filtered by owner, state and hash', async (store) => {
    const [agent, project] = [
      { type: 'agent', id: 'a' },
      { type: 'project', id: 'a' },
    ] as const
    const other = 'b'.repeat(64)
    await store.putFile(file('f3'))
    await store.putFile(file('f1', { owner: agent, hash: other }))
    await store.putFile(file('f4', { owner: project, state: { type: 'processing' } }))
    await store.putFile(file('f2', { hash: other }))
    const ids = async (which?: Parameters<typeof store.files>[0]) =>
      (await store.files(which)).map((row) => row.id).join(' ')
    assert.equal(await ids(), 'f3 f1 f4 f2')
    assert.equal(await ids({ owner: { type: 'session', id: 'a' } }), 'f3 f2')
    assert.equal(await ids({ owner: agent }), 'f1')
    assert.equal(await ids({ owner: { type: 'agent', id: 'unknown' } }), '')
    assert.equal(await ids({ state: 'processing' }), 'f4')
    assert.equal(await ids({ state: 'processing', owner: agent }), '')
    assert.equal(await ids({ hash: other }), 'f1 f2')
    assert.equal(await ids({ hash: other, owner: agent, state: 'ready' }), 'f1')
  })

  storeCase('removing a file keeps other files with the same bytes', async (store) => {
    await store.putFile(file('f1'))
    await store.putFile(file('f2'))
    assert.equal(await store.deleteFile('f1'), true)
    assert.equal(await store.deleteFile('f1'), false)
    assert.deepEqual([await store.file('f1'), await store.files()], [undefined, [file('f2')]])
    await assert.rejects(store.setFileState('f1', { type: 'processing' }), { code: 'not-found' })
    await store.putFile(file('f1'))
    assert.deepEqual(await store.files(), [file('f2'), file('f1')])
  })

  storeCase('deleting a session deletes its files and no others', async (store) => {
    for (const id of ['a', 'b']) await store.append(id, [start], at(1))
    await store.putFile(file('f1'))
    await store.putFile(file('f2', { owner: { type: 'session', id: 'b' } }))
    await store.putFile(file('f3', { owner: { type: 'agent', id: 'a' } }))
    await store.deleteSession('a')
    const left = (await store.files()).map((row) => row.id)
    assert.deepEqual(left, ['f2', 'f3'])
  })

  storeCase('the state and the text of a file are written together or not at all', async (store) => {
    await store.transaction([{ type: 'file', row: file('f1', { state: { type: 'processing' } }) }])
    const ready = { type: 'file-state', id: 'f1', state: states[0]! } as const
    const owner = { type: 'file-owner', id: 'unknown', owner: { type: 'agent', id: 'a' } } as const
    await assert.rejects(store.transaction([ready, { type: 'value', key: 'k', value: 1 }, owner]), {
      code: 'not-found',
    })
    assert.deepEqual([(await store.file('f1'))?.state.type, await store.value('k')], ['processing', undefined])
    await store.transaction([ready, { ...owner, id: 'f1' }])
    assert.deepEqual(await store.file('f1'), file('f1', { owner: owner.owner, state: ready.state }))
  })
}

const content = `sha256:${'c'.repeat(64)}`

const states: readonly FileState[] = [
  {
    type: 'ready',
    reading: {
      kind: 'text',
      content,
      characters: 12,
      tokens: 3,
      counter: 'tokenx@2',
      pages: [0, 5],
      indexed: true,
    },
  },
  { type: 'ready', reading: { kind: 'table', content, characters: 12, sheets: ['Sheet 1', '字'] } },
  { type: 'ready', reading: { kind: 'image', mediaType: 'image/png', width: 640, height: 480 } },
  { type: 'ready', reading: { kind: 'image', mediaType: 'image/gif' } },
  { type: 'failed', code: 'encrypted', reason: 'the file is encrypted' },
]
