import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as fc from 'fast-check'
import { anyCharacter } from '../../../test/arbitrary/characters.ts'
import { topicEmbedder } from '../../../test/cases/search-engine-fixture.ts'
import type { IndexedDocument, SearchEngine } from '../search-engine.ts'
import { SearchError } from '../search-error.ts'
import { openSqliteSearch } from './open-sqlite-search.ts'
import { systemClock } from '../../platform.ts'

const engineModule = JSON.stringify(import.meta.resolve('./open-sqlite-search.ts'))
const platformModule = JSON.stringify(new URL('../../platform.ts', import.meta.url).href)

test('no question whatever is syntax', async (context) => {
  const engine = await opened(context, ':memory:')
  await engine.index(document('a', 'Life and death NEAR the OR of NOT'))
  const pieces = fc.constantFrom(
    '"',
    '*',
    'NEAR',
    'OR',
    'AND',
    'NOT',
    '\0',
    '(',
    ')',
    '^',
    ':',
    '+',
    '-',
    '{',
    '}',
    'life',
    ' ',
  )
  const questions = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200, size: 'max' }),
    fc.array(pieces, { maxLength: 30, size: 'max' }).map((parts) => parts.join('')),
  )
  await fc.assert(
    fc.asyncProperty(questions, async (text) => {
      const { hits } = await engine.search({ text, collections: ['all'] })
      assert.ok(hits.length <= 1)
      const { hits: asked } = await engine.search({ text: `${text} death`, collections: ['all'] })
      assert.deepEqual(
        asked.map((hit) => hit.document),
        ['a'],
      )
    }),
    { numRuns: 500 },
  )
})

test('any indexed word is found, whatever text is around it', async (context) => {
  const engine = await opened(context, ':memory:')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 100, size: 'max' }), async (around) => {
      await engine.index({ ...document('a', `${around} springs ${around}`), digest: around })
      const { hits } = await engine.search({ text: 'springs', collections: ['all'] })
      assert.equal(hits.length, 1)
    }),
    { numRuns: 200 },
  )
})

test('a kill while indexing leaves documents that are whole, and the rest is indexed the next time', async (context) => {
  const path = join(await folder(context), 'search.sqlite')
  const count = 40
  const script = `
    const { openSqliteSearch } = await import(${engineModule})
    const { systemClock } = await import(${platformModule})
    const engine = await openSqliteSearch({ clock: systemClock, path: ${JSON.stringify(path)} })
    for (let index = 0; index < ${count}; index += 1) {
      const text = ('Life ' + index + ' began. ').repeat(9000) + 'The end.'
      await engine.index({ id: 'd' + index, title: '', collections: ['all'], digest: '1', text })
      process.stdout.write('indexed\\n')
    }`
  const text = (index: number) => `${`Life ${index} began. `.repeat(9_000)}The end.`
  let before = 0
  for (let round = 0; round < 4; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(child, 'exit')
    await once(child.stdout, 'data')
    await pause(round * 30)
    child.kill('SIGKILL')
    await exit
    const engine = await openSqliteSearch({ clock: systemClock, path })
    const known = await engine.documents()
    assert.ok(known.length >= before)
    before = known.length
    for (const { id } of known) {
      const { hits: ends } = await engine.search({ text: 'end', collections: ['all'], documents: [id] })
      assert.match(ends[0]?.chunk.text ?? '', /The end\.$/)
    }
    await engine.close()
  }
  const engine = await opened(context, path)
  for (let index = 0; index < count; index += 1) {
    await engine.index({ id: `d${index}`, title: '', collections: ['all'], digest: '1', text: text(index) })
  }
  assert.ok(before > 0)
  const progress = await engine.progress()
  assert.deepEqual([progress.documents, progress.indexed], [count, count])
  await engine.close()
  const database = new DatabaseSync(path)
  const [{ chunks } = { chunks: 0 }] = database.prepare('select count(*) as chunks from chunks').all() as {
    chunks: number
  }[]
  assert.equal(chunks, progress.chunks)
  assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
  database.exec(`insert into words (words) values ('integrity-check')`)
  database.close()
})

test('an index that another version wrote is built again, with a word about it', async (context) => {
  const path = join(await folder(context), 'search.sqlite')
  const first = await openSqliteSearch({ clock: systemClock, path })
  await first.index(document('a', 'Life.'))
  await first.close()
  const database = new DatabaseSync(path)
  database.exec('pragma user_version = 4711')
  database.close()
  await assert.rejects(openSqliteSearch({ clock: systemClock, path, readOnly: true }), {
    code: 'readonly',
    message: /start the gateway once/,
  })
  const warnings: string[] = []
  const second = await opened(context, path, {
    clock: systemClock,
    onWarning: (message) => void warnings.push(message),
  })
  assert.match(warnings.join(), /another version.*built again/)
  assert.deepEqual(await second.documents(), [])
  await second.index(document('a', 'Life.'))
  assert.equal((await second.search({ text: 'life', collections: ['all'] })).hits.length, 1)
})

test('a file that is not an index is not changed', async (context) => {
  const place = await folder(context)
  const foreign = join(place, 'foreign.sqlite')
  const database = new DatabaseSync(foreign)
  database.exec('create table documents (precious text); insert into documents values (1)')
  database.close()
  await assert.rejects(openSqliteSearch({ clock: systemClock, path: foreign }), {
    code: 'corrupt',
    message: /not a search index: move it away/,
  })
  const again = new DatabaseSync(foreign)
  assert.deepEqual({ ...again.prepare('select count(*) as rows from documents').get() }, { rows: 1 })
  again.close()
  const notes = join(place, 'notes.txt')
  await writeFile(notes, 'Nothing but notes. '.repeat(500))
  await assert.rejects(openSqliteSearch({ clock: systemClock, path: notes }), {
    code: 'corrupt',
    message: /not a search index/,
  })
  await assert.rejects(openSqliteSearch({ clock: systemClock, path: join(place, 'missing.sqlite'), readOnly: true }), {
    code: 'not-found',
  })
  const killed = join(place, 'killed.sqlite')
  await writeFile(killed, '')
  await assert.rejects(openSqliteSearch({ clock: systemClock, path: killed, readOnly: true }), { code: 'not-found' })
})

test('an index is readable by its own user alone, and beside its writer by others of the user', async (context) => {
  const path = join(await folder(context), 'deep', 'search.sqlite')
  const writer = await opened(context, path)
  await writer.index(document('a', 'Life.'))
  for (const file of [path, `${path}-wal`]) assert.equal((await stat(file)).mode & 0o777, 0o600)
  const reader = await opened(context, path, { clock: systemClock, readOnly: true })
  assert.equal((await reader.search({ text: 'life', collections: ['all'] })).hits.length, 1)
  await writer.index(document('b', 'Life.'))
  assert.equal((await reader.search({ text: 'life', collections: ['all'] })).hits.length, 2)
  await assert.rejects(reader.index(document('c', 'Life.')), { code: 'readonly' })
  await chmod(path, 0o600)
})

test('a model that is slow to answer does not keep a question waiting', async (context) => {
  let slow = false
  const warnings: string[] = []
  const embedder = topicEmbedder([['sea', 'ocean']], {
    before: async () => {
      if (slow) await pause(60_000, undefined, { ref: false })
    },
  })
  const onWarning = (message: string) => void warnings.push(message)
  const engine = await opened(context, ':memory:', { clock: systemClock, embedder, onWarning, embedderTimeoutMs: 20 })
  await engine.index(document('a', 'The sea.'))
  await engine.embedMissing()
  slow = true
  assert.equal((await engine.search({ text: 'sea', collections: ['all'] })).hits.length, 1)
  assert.match(warnings.join(), /words alone.*no vector within 20 ms/)
})

test('a question does not wait until it is known what is found by chance', async (context) => {
  const warnings: string[] = []
  const inner = topicEmbedder([['sea', 'ocean']], { batch: 8 })
  const embedder = {
    ...inner,
    embed: async (...[texts, options]: Parameters<typeof inner.embed>) => {
      if (texts.length > 1 && options.kind === 'query') await pause(60_000, undefined, { ref: false })
      return inner.embed(texts, options)
    },
  }
  const onWarning = (message: string) => void warnings.push(message)
  const engine = await opened(context, ':memory:', { clock: systemClock, embedder, onWarning, embedderTimeoutMs: 50 })
  for (let index = 0; index < 12; index += 1) await engine.index(document(`d${index}`, 'The sea.'))
  await engine.embedMissing()
  const { hits, degraded } = await engine.search({ text: 'ocean', collections: ['all'] })
  assert.deepEqual([hits.length, hits[0]?.ranks[0]?.by, degraded, warnings], [10, 'meaning', undefined, []])
})

test('a text that the model refuses is passed over, and those beside it are not', async (context) => {
  const warnings: string[] = []
  const inner = topicEmbedder([['sea', 'ocean']], { batch: 8 })
  const embedder = {
    ...inner,
    embed: async (...[texts, options]: Parameters<typeof inner.embed>) => {
      if (texts.some((text) => text.includes('poison'))) throw new SearchError('embedding', 'too long', { status: 400 })
      return inner.embed(texts, options)
    },
  }
  const engine = await opened(context, ':memory:', {
    clock: systemClock,
    embedder,
    onWarning: (message) => void warnings.push(message),
  })
  for (const id of ['a', 'b', 'c', 'd', 'e']) await engine.index(document(id, id === 'c' ? 'poison sea' : 'The sea.'))
  assert.equal((await engine.embedMissing()).embedded, 5)
  assert.deepEqual(warnings, ['one text has no vector and is found by its words alone: too long'])
  assert.deepEqual(
    (await engine.search({ text: 'ocean', collections: ['all'] })).hits.map((hit) => hit.document),
    ['a', 'b', 'd', 'e'],
  )
  assert.equal((await engine.search({ text: 'poison', collections: ['all'] })).hits[0]?.document, 'c')
})

test('vectors beyond the memory that they may take are read each time, with the same answer', async (context) => {
  const path = join(await folder(context), 'search.sqlite')
  const embedder = topicEmbedder([['sea', 'ocean'], ['hill']])
  const roomy = await openSqliteSearch({ clock: systemClock, path, embedder })
  for (let index = 0; index < 30; index += 1)
    await roomy.index(document(`d${index}`, 'The sea. '.repeat(index * 20 + 1)))
  await roomy.embedMissing()
  const ask = (engine: SearchEngine) => engine.search({ text: 'ocean', collections: ['all'], limit: 100 })
  const answer = await ask(roomy)
  assert.ok(answer.hits.length > 30)
  await roomy.close()
  const narrow = await opened(context, path, { clock: systemClock, embedder, maxVectorBytes: 1 })
  assert.deepEqual(await ask(narrow), answer)
  assert.deepEqual(await ask(narrow), answer)
})

test('the most frequent words give way where they are too many to measure', async (context) => {
  const engine = await opened(context, ':memory:')
  const common = Array.from({ length: 60 }, (_, index) => `w${index}`)
  const paragraph = `${common.join(' ')}. `
  for (let index = 0; index < 20; index += 1) await engine.index(document(`d${index}`, paragraph.repeat(100)))
  await engine.index(document('rare', `${paragraph} An axolotl.`))
  const { hits } = await engine.search({ text: `${common.join(' ')} axolotl`, collections: ['all'] })
  assert.equal(hits[0]?.document, 'rare')
  assert.ok((await engine.search({ text: common.join(' '), collections: ['all'] })).hits.length > 0)
})

async function opened(
  context: TestContext,
  path: string,
  options: Omit<Parameters<typeof openSqliteSearch>[0], 'path'> = { clock: systemClock },
): Promise<SearchEngine> {
  const engine = await openSqliteSearch({ path, ...options })
  context.after(() => engine.close())
  return engine
}

async function folder(context: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'foreword-search-'))
  context.after(() => rm(path, { recursive: true, force: true }))
  return path
}

function document(id: string, text: string): IndexedDocument {
  return { id, title: id, collections: ['all'], digest: text, text }
}

test('indexing lets other work run in between', async (context) => {
  const engine = await openSqliteSearch({ clock: systemClock, path: ':memory:' })
  context.after(() => engine.close())
  let turns = 0
  let done = false
  const count = () => {
    turns += 1
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  for (let index = 0; index < 50; index += 1) {
    await engine.index({ id: `d${index}`, title: '', collections: ['all'], digest: '1', text: 'Short.' })
  }
  assert.ok(turns >= 50, `${turns} turns while 50 short documents were indexed`)
  turns = 0
  const text = 'Life began in hot springs. '.repeat(40_000)
  await engine.index({ id: 'long', title: '', collections: ['all'], digest: '1', text })
  done = true
  assert.ok(turns >= 30, `${turns} turns while a long document was indexed`)
})
