import assert from 'node:assert/strict'
import { type EntryBody, type FileRow, importSession, type SessionStore } from '../../src/session.ts'
import {
  at,
  choice,
  exportLines,
  file,
  input,
  reply,
  turnStart,
  start,
  type StoreCase,
  type StoreFixture,
  withStore,
  toolRun,
} from './session-store-entries.ts'

/** Cases for export and import of files and their texts. */
export function exportFileCases(storeCase: StoreCase, makeFixture: () => Promise<StoreFixture>): void {
  storeCase('an export contains files with their texts, agents, projects and citations', async (store) => {
    const rows = await fillStore(store)
    const lines = await exportLines(store)
    await withStore(makeFixture, async (other) => {
      assert.equal(await importSession(other, lines), 'a')
      assert.deepEqual(await exportLines(other), lines)
      assert.deepEqual(await other.files(), rows)
      assert.deepEqual(await other.entries('a'), await store.entries('a'))
      assert.deepEqual(await other.session('a'), await store.session('a'))
      assert.equal(await other.content(contentHash(rows[0]!)), 'the text of a file')
    })
  })

  storeCase('an imported copy has its own files, and its log references them', async (store) => {
    const rows = await fillStore(store)
    const lines = await exportLines(store)
    await store.deleteFile('f2')
    await importSession(store, lines, { as: 'copy' })
    const own = rows.map((row) => ({ ...row, owner: { type: 'session', id: 'copy' } }))
    const expected = [{ ...own[0], id: 'copy.f1' }, own[1], { ...own[2], id: 'copy.f3' }]
    assert.deepEqual(await store.files({ owner: { type: 'session', id: 'copy' } }), expected)
    const [said] = await store.entries('copy', { types: ['input'] })
    assert.deepEqual(said?.type === 'input' && said.attachments?.map((each) => each.file), ['copy.f1', 'f2'])
    const sourceLists = (await store.entries('copy')).flatMap((entry) => {
      if (entry.type === 'assembly' || entry.type === 'tool-end') return [entry.sources]
      return entry.type === 'message' ? [entry.citations] : []
    })
    const documents = ['copy.f1', 'https://example.org/']
    const cited = sourceLists.map((sources) => sources?.map((source) => source.document))
    assert.deepEqual(cited, [documents, documents, documents])
    await store.deleteSession('copy')
    const left = (await store.files()).map((row) => row.id)
    assert.deepEqual(left, ['f1', 'f3', 'p1'])
  })

  storeCase('an import never takes over an existing file', async (store) => {
    await fillStore(store)
    const lines = await exportLines(store)
    await store.setFileOwner('f1', { type: 'project', id: 'p' })
    await store.deleteSession('a')
    await assert.rejects(importSession(store, lines), { code: 'conflict', message: /file f1 already/ })
    assert.deepEqual(await store.sessions(), [])
    assert.deepEqual((await store.file('f1'))?.owner, { type: 'project', id: 'p' })
  })

  storeCase('invalid files and citations are not imported', async (store) => {
    await fillStore(store)
    const lines = await exportLines(store)
    for (const [sound, odd] of [
      [`"hash":"${'a'.repeat(64)}"`, '"hash":"../../etc/passwd"'],
      ['"width":640', '"width":"640"'],
      ['"state":{"type":"failed","code":"empty"', '"state":{"type":"broken","code":"empty"'],
      ['"content":"sha256:', '"content":"md5:'],
      ['"bytes":12', '"bytes":-1'],
      ['"attachments":[{"file":"f1"', '"attachments":[{"file":7'],
      ['"kind":"image"}', '"kind":"sound"}'],
      [`"kind":"text","content":"${READ}"`, '"kind":"text","content":"/etc/passwd"'],
      [
        '"type":"assembly","turn":"t1","call":"c1","sources":[{"citation":1',
        '"type":"assembly","turn":"t1","call":"c1","sources":[{"citation":"1"',
      ],
      ['"sources":[{"citation":1', '"sources":[{"citation":0'],
      ['"citations":[{"citation":1,"document":"f1"', '"citations":[{"citation":1,"document":""'],
      ['"choice":"agent","value":"poet"', '"choice":"agent","value":7'],
      ['"choice":"project","value":"atlas"', '"choice":"project","value":""'],
      ['"choice":"agent","value":"poet"', '"choice":"","value":"poet"'],
      ['"files":3', '"files":2'],
    ] as const) {
      const broken = lines.map((line) => line.replace(sound, odd))
      assert.notDeepEqual(broken.slice(1), lines.slice(1), sound)
      await assert.rejects(importSession(store, broken, { as: 'odd' }), { code: 'invalid' }, sound)
    }
    assert.equal(await store.session('odd'), undefined)
  })
}

/** A reference to a text that is no longer among the contents. */
const READ = `sha256:${'d'.repeat(64)}`

/** Adds files of the session `a`, and one that does not belong to its export. */
async function fillStore(store: SessionStore): Promise<readonly FileRow[]> {
  const content = `sha256:${await store.putContent('the text of a file')}`
  const text = { kind: 'text', content, characters: 18, tokens: 3, counter: 'tokenx@2', pages: [0, 9] } as const
  const rows = [
    file('f1', { name: 'line\u2028end.txt', state: { type: 'ready', reading: text } }),
    file('f2', {
      mediaType: 'image/png',
      state: { type: 'ready', reading: { kind: 'image', mediaType: 'image/png', width: 640, height: 480 } },
    }),
    file('f3', { bytes: 0, state: { type: 'failed', code: 'empty', reason: 'the file is empty' } }),
  ]
  const attachments = [
    { file: 'f1', name: 'line\u2028end.txt', kind: 'text', content: READ, tokens: 3 },
    { file: 'f2', name: 'f2.txt', kind: 'image' },
  ] as const
  const sources = [
    { citation: 1, document: 'f1', title: 'f1.txt', start: 0, end: 9, page: 1, headings: ['One'], score: 0.5 },
    { citation: 2, document: 'https://example.org/', title: '字', url: 'https://example.org/', updated: at(0) },
  ]
  const [began, ran] = toolRun('t1', await store.putContent('the whole of a result'))
  await store.append('a', [start, choice('agent', 'poet'), choice('project', 'atlas')], at(1))
  const said = { ...input('t1'), attachments } as EntryBody
  const answer = { ...reply('t1'), citations: sources } as EntryBody
  const given: EntryBody = { type: 'assembly', turn: 't1', call: 'c1', sources }
  await store.append('a', [said, turnStart('t1'), given, began!, { ...ran!, sources } as EntryBody, answer], at(2))
  for (const row of [...rows, file('p1', { owner: { type: 'project', id: 'atlas' } })]) await store.putFile(row)
  return rows
}

function contentHash({ state }: FileRow): string {
  assert.ok(state.type === 'ready' && state.reading.kind === 'text')
  return state.reading.content.slice('sha256:'.length)
}
