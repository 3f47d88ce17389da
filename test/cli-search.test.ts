import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import test from 'node:test'
import { compareWays } from '../src/capabilities/files/cli/search.ts'
import { snippet } from '../src/cli/search-history.ts'
import type { RecallAnswer, SearchHit } from '../src/search.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { openStore } from '../src/session.ts'
import { storePath } from './cli/store-path.ts'
import { scriptedConnection } from './cli/scripted-connection.ts'
import { servedConnection } from './cli/served-connection.ts'
import { scriptedRuntime } from './server/scripted-runtime.ts'
import { systemClock } from '../src/platform.ts'

const connection = servedConnection(scriptedRuntime(), 'running')

test('a hit has its position, and stderr shows the progress of the index', async () => {
  assert.deepEqual(await run(['search', 'spring', 'tide'], { connection }), {
    code: 0,
    stdout:
      'Tides of the North Sea.pdf  page 3, Tides › Moon  file-1\n' +
      '  At spring tide the water stands highest, and at neap tide lowest.\n',
    stderr: 'index: 1 of 2 files, 3 passages\n',
  })
})

test('the words of the query are highlighted on a terminal', async () => {
  const { stdout } = await run(['search', 'spring tide'], { connection, terminal: true })
  assert.ok(stdout.includes('\u001B[33mspring\u001B[39m \u001B[33mtide\u001B[39m the water'))
})

test('--explain says how a hit was found', async () => {
  const { stdout } = await run(['search', 'spring', '--explain'], { connection })
  assert.match(stdout, /\n {2}score 0\.0325: words rank 1 \(4\.20\), meaning rank 2 \(0\.810\)\n$/)
})

test('--json prints hits and progress as one document', async () => {
  const { stdout } = await run(['search', 'spring', '--json', '--limit', '3'], { connection })
  const { hits, progress } = JSON.parse(stdout) as { hits: readonly { title: string }[]; progress: { chunks: number } }
  assert.deepEqual([hits[0]?.title, progress.chunks], ['Tides of the North Sea.pdf', 3])
})

test('--compare shows what words and meaning find, and what they share', async () => {
  const { code, stdout } = await run(['search', 'spring', '--compare'], { connection })
  assert.deepEqual(
    [code, stdout],
    [
      0,
      'By words\n' +
        '   1  Tides of the North Sea.pdf, page 3, Tides › Moon\n' +
        'By meaning\n  nothing\n' +
        'Both together\n' +
        '   1  Tides of the North Sea.pdf, page 3, Tides › Moon\n' +
        '0 of 1 passages are in both lists. By meaning no passage is nearer to the question than chance.\n',
    ],
  )
  const compared = JSON.parse((await run(['search', 'spring', '--compare', '--json'], { connection })).stdout) as object
  assert.deepEqual(Object.keys(compared), ['words', 'meaning', 'both', 'agreement'])
  const none = await run(['search', 'tide', '--compare'], { connection })
  assert.equal(none.code, 1)
  assert.match(none.stderr, /no passage has a vector.*\n.*search\.embedding/)
})

test('passages in both lists are counted once', async () => {
  const lists = { words: ['a', 'b'], meaning: ['b', 'c'], both: ['a', 'b', 'c'] }
  const hit = (id: string) => ({ document: 'd', chunk: { id } }) as unknown as SearchHit
  const progress = { documents: 1, indexed: 1, chunks: 3, embedded: 3 }
  const { agreement } = await compareWays(async (by) => ({ hits: lists[by].map(hit), progress }))
  assert.deepEqual(agreement, { shared: 1, of: 3 })
})

test('an answer by words alone says why', async () => {
  const { stderr } = await run(['search', 'embedder down'], { connection })
  assert.match(stderr, /^Found by words alone: the embedding model x: no answer\.\n/)
  const compared = await run(['search', 'embedder down', '--compare'], { connection })
  assert.deepEqual([compared.code, compared.stdout], [1, ''])
  assert.match(
    compared.stderr,
    /nothing to compare\. Found by words alone: the embedding model x: no answer\.\n.*doctor/,
  )
})

test('nothing found is no failure; an unknown project and a limit that is none are', async () => {
  const none = await run(['search', 'whale'], { connection })
  assert.deepEqual([none.code, none.stdout], [0, ''])
  assert.match(none.stderr, /^No matches\.\n/)
  assert.equal((await run(['search', 'x', '--project', 'none'], { connection })).code, 1)
  assert.equal((await run(['search', 'x', '--limit', 'many'], { connection })).code, 2)
})

test('searching the history of an empty home finds nothing and makes none', async (context) => {
  const { home, environment } = temporaryHome(context)
  const { code, stderr } = await run(['search', '--history', 'boat'], { environment })
  assert.deepEqual([code, stderr, existsSync(home)], [0, 'No matches.\n', false])
})

test('--history shows messages of sessions with time, author and the text around them', async () => {
  const { code, stdout, stderr } = await run(['search', '--history', 'name', 'of', 'the', 'boat'], { connection })
  assert.equal(code, 0)
  assert.equal(
    stdout.replace(/2026-01-05 \d\d:00 (UTC|[+-]\d\d:\d\d)/, 'TIME'),
    'turn 4  assistant  TIME  session-1\n  user: What did I name it?\n  The boat is called Seute Deern.\n',
  )
  assert.equal(stderr, 'Read on from the best hit with `foreword sessions show session-1 4`.\n')
  const json = await run(['search', '--history', 'boat', '--json', '--limit', '1'], { connection })
  const { passages, found } = JSON.parse(json.stdout) as RecallAnswer
  assert.deepEqual([passages[0]?.ordinal, found], [4, 'words'])
  const none = await run(['search', '--history', 'whale'], { connection })
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, '', 'No matches.\n'])
})

test('--history finds a message as it was edited while it waited', async (context) => {
  const { home, environment } = temporaryHome(context)
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const [turn, tokens] = ['t', { counter: 'chars@1', full: 1, least: 1 }]
  const message = (content: string) => ({ role: 'user', content }) as const
  await store.append(
    's',
    [
      { type: 'session-start' },
      { type: 'input', turn, message: message('An otter came by.'), tokens },
      { type: 'edit', turn, message: message('A lynx came by.'), tokens },
      { type: 'turn-start', turn },
      { type: 'turn-end', turn, outcome: { type: 'completed' } },
    ],
    '2026-01-05T10:00:00.000Z',
  )
  await store.close()
  assert.match((await run(['search', '--history', 'lynx'], { environment })).stdout, /A lynx came by/)
  assert.doesNotMatch((await run(['search', '--history', 'otter'], { environment })).stdout, /otter/)
  assert.match((await run(['sessions'], { environment })).stdout, /A lynx came by/)
})

test('--history marks what was taken back', async () => {
  const place = { session: 's', turn: 't', ordinal: 2, role: 'user', time: '2026-01-05T10:00:00.000Z', undone: true }
  const passages = [{ ...place, text: 'The boat leaks.', matched: ['boat'], hits: ['boat'] }]
  const answer = { passages, found: 'words', missing: [], nearest: [], complete: true }
  const history = scriptedConnection({ 'GET /api/search/history?q=boat': answer })
  const { stdout } = await run(['search', '--history', 'boat'], { connection: history })
  assert.equal(stdout, 'turn 2  (undone)  user  2026-01-05 10:00 UTC  s\n  The boat leaks.\n')
})

test('options of the two searches do not mix, and an unknown session is refused', async () => {
  for (const wrong of [
    ['x', '--session', 's'],
    ['--history', 'x', '--project', 'p'],
    ['--history', 'x', '--explain'],
    ['--history', 'x', '--limit', '101'],
    ['--history'],
  ]) {
    assert.equal((await run(['search', ...wrong], { connection })).code, 2, wrong.join(' '))
  }
  const unknown = await run(['search', '--history', 'boat', '--session', 'nowhere'], { connection })
  assert.deepEqual([unknown.code, /No session matches "nowhere"/.test(unknown.stderr)], [1, true])
})

test('a snippet shows the first hit, always in one line', () => {
  const passage = `${'Sand and stones. '.repeat(40)}\nThe Flüt\u001B[2J rises.\t${'More sand. '.repeat(40)}`
  const pieces = snippet(passage, 'FLÜT "OR" *', 120)
  const line = pieces.map(({ word }) => word).join('')
  assert.deepEqual(
    pieces.filter(({ hit }) => hit).map(({ word }) => word),
    ['Flüt'],
  )
  assert.match(line, /^… .*Flüt\\u\{1b\}\[2J rises\..* …$/)
  assert.ok(line.length < 150 && !line.includes('\n'))
  assert.deepEqual(snippet('潮の満ち引き', '潮', 100)[0], { word: '潮', hit: true })
})
