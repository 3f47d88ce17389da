import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { tokenx } from '../../context.ts'
import type { Document, DocumentReader } from '../../document.ts'
import type { SearchEngine } from '../../search.ts'
import { openBlobs, openStore } from '../../session.ts'
import { fixedClock } from '../../testing.ts'
import { createLibrary } from './library.ts'
import type { FileLibrary } from '../../capability.ts'
import { systemClock } from '../../platform.ts'

const owner = { type: 'session', id: 'inbox' } as const

test('a file that is removed while it is indexed is not found afterwards', async (t) => {
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const found = new Set<string>()
  const library = await libraryOf(t, {
    engine: {
      async index({ id }) {
        begun.resolve()
        await goOn.promise
        found.add(id)
      },
      async remove(id) {
        return found.delete(id)
      },
    },
  })
  const { id } = await library.add({ name: 'tide.txt', bytes: bytesOf('High water.'), owner })
  await begun.promise
  await library.remove(id)
  goOn.resolve()
  await library.close()
  assert.deepEqual([...found], [])
})

test('a file that is given away while it is indexed is found where it belongs', async (t) => {
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const collections = new Map<string, readonly string[]>()
  const library = await libraryOf(t, {
    engine: {
      async index(document) {
        begun.resolve()
        await goOn.promise
        collections.set(document.id, document.collections)
      },
      async assign(id, given) {
        if (!collections.has(id)) return false
        collections.set(id, given)
        return true
      },
    },
  })
  const { id } = await library.add({ name: 'tide.txt', bytes: bytesOf('High water.'), owner })
  await begun.promise
  await library.give(id, { type: 'project', id: 'harbour' })
  goOn.resolve()
  await library.close()
  assert.deepEqual(collections.get(id), ['project/harbour'])
})

test('a text that its reader has counted is not counted again, and another is counted here', async (t) => {
  const text = 'High water at noon. '.repeat(10_000)
  const library = await libraryOf(t, {
    documents: {
      'counted.txt': { kind: 'text', text, mediaType: 'text/plain', tokens: 7 },
      'plain.txt': { kind: 'text', text, mediaType: 'text/plain' },
    },
  })
  const tokensOf = async (name: string) => {
    const { state } = await library.settled((await library.add({ name, bytes: bytesOf(name), owner })).id)
    return state.type === 'ready' && state.reading.kind === 'text' ? state.reading.tokens : state
  }
  assert.equal(await tokensOf('counted.txt'), 7)
  assert.equal(await tokensOf('plain.txt'), tokenx.text(text))
})

test('a file that is being read when the library closes stays to be read, and is no failure', async (t) => {
  const reading = Promise.withResolvers<void>()
  const library = await libraryOf(t, {
    async read({ signal }) {
      reading.resolve()
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
    },
  })
  const { id } = await library.add({ name: 'tide.txt', bytes: bytesOf('High water.'), owner })
  await reading.promise
  await library.close()
  assert.equal((await library.file(id)).state.type, 'processing')
})

test('a table that was read as text keeps that text where it cannot be read again', async (t) => {
  let fails = false
  const indexed: { id: string; digest: string; collections: readonly string[] }[] = []
  const library = await libraryOf(t, {
    engine: { documents: async () => indexed },
    async read(): ReturnType<DocumentReader['read']> {
      if (fails) return { kind: 'unreadable', code: 'broken', mediaType: 'text/csv', reason: 'It is broken.' }
      return { kind: 'text', text: 'day,height', mediaType: 'text/csv' }
    },
  })
  const { id } = await library.add({ name: 'tides.csv', bytes: bytesOf('day,height'), owner })
  const { hash } = await library.settled(id)
  indexed.push({ id, digest: hash, collections: ['session/inbox'] })
  fails = true
  await library.recover()
  const { id: next } = await library.add({ name: 'broken.csv', bytes: bytesOf('day'), owner })
  assert.equal((await library.settled(next)).state.type, 'failed')
  assert.equal(await library.text(await library.file(id)), 'day,height')
})

for (const [given, label] of [
  ['tide.txt', 'tide.txt'],
  ['Gro\u0308ße.txt', 'Größe.txt'],
  [' tide.txt ', 'tide.txt'],
  ['tide.txt.', 'tide.txt.'],
  ['-rf', '-rf'],
  ['.env', '.env'],
  ['CON', 'CON'],
  ['NUL.txt', 'NUL.txt'],
  ['a.tar.gz', 'a.tar.gz'],
  ['A.TXT', 'A.TXT'],
  ['docs/a.txt', 'docs/a.txt'],
  ['docs\\a.txt', 'docs\\a.txt'],
  ['a%20b.txt', 'a%20b.txt'],
  ['=?UTF-8?B?R3LDtsOfZS50eHQ=?=', 'Größe.txt'],
  ['=?iso-8859-1?Q?Gr=F6=DFe_1.txt?=', 'Größe 1.txt'],
  ['=?UTF-8?Q?one_?= =?UTF-8?Q?two.txt?=', 'one two.txt'],
  ['=?no-such-set?Q?a?=', '=?no-such-set?Q?a?='],
  ['=?UTF-8?Q?a?= b.txt', '=?UTF-8?Q?a?= b.txt'],
  ['a\nb\u2028c\0d.txt', 'a b c d.txt'],
  ['a\u202egnp.exe', 'a gnp.exe'],
  ['👩‍👧.txt', '👩‍👧.txt'],
  ['half \ud800.txt', 'half \ufffd.txt'],
] as const) {
  test(`a file that a system calls ${JSON.stringify(given)} is called ${JSON.stringify(label)}`, async (t) => {
    const library = await libraryOf(t, {})
    const { id } = await library.add({ name: given, bytes: bytesOf('x'), owner })
    assert.equal((await library.file(id)).name, label)
  })
}

test('a name that is empty or too long is refused, and two names or two contents are two files', async (t) => {
  const library = await libraryOf(t, {})
  for (const name of ['', ' \n', '\u202e', 'x'.repeat(501)])
    await assert.rejects(library.add({ name, bytes: bytesOf('x'), owner }), { code: 'invalid-input' })
  const add = async (name: string, text: string) => (await library.add({ name, bytes: bytesOf(text), owner })).id
  const ids = [await add('a.txt', 'x'), await add('A.txt', 'x'), await add('a.txt', 'y'), await add('b/a.txt', 'x')]
  assert.equal(new Set(ids).size, 4)
})

test('files that take long of one caller keep no other caller waiting, and no plain text of their own', async (t) => {
  const begun: string[] = []
  const library = await libraryOf(t, {
    async read({ name, signal }) {
      begun.push(name)
      if (name.endsWith('.txt')) return { kind: 'text', text: name, mediaType: 'text/plain' }
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
    },
  })
  const add = (name: string, text: string, by: string) => library.add({ name, bytes: bytesOf(text), owner, by })
  for (const name of ['a.pdf', 'b.pdf', 'c.pdf', 'd.pdf']) await add(name, '%PDF-1.7 unfolds', 'token:one')
  const own = await add('own.txt', 'plain', 'token:one')
  await library.settled(own.id)
  await library.settled((await add('other.txt', 'plain', 'token:two')).id)
  assert.deepEqual(begun, ['a.pdf', 'b.pdf', 'own.txt', 'other.txt'])
})

interface Given {
  readonly engine?: Partial<SearchEngine>
  readonly documents?: Readonly<Record<string, Document>>
  readonly read?: DocumentReader['read']
}

async function libraryOf(t: TestContext, { engine = {}, documents = {}, read }: Given): Promise<FileLibrary> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-library-'))
  const store = await openStore({ clock: systemClock, path: ':memory:' })
  const reader: DocumentReader = {
    read:
      read ?? (async ({ name }) => documents[name] ?? { kind: 'text', text: 'High water.', mediaType: 'text/plain' }),
    close: async () => {},
  }
  const idle = {
    index: async () => {},
    remove: async () => false,
    assign: async () => false,
    documents: async () => [],
  }
  const library = createLibrary({
    store,
    blobs: openBlobs(folder),
    reader,
    engine: async () => ({ ...idle, ...engine }) as SearchEngine,
    clock: fixedClock(),
    counter: tokenx,
    room: () => ({}),
    limits: { maxBytes: 1_000_000, maxTokens: 1_000_000 },
    warn: (text) => assert.fail(text),
  })
  t.after(async () => {
    await library.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })
  return library
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
