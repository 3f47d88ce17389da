import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { builtIn } from '../src/foreword.ts'
import { loadConfiguration } from '../src/runtime.ts'
import { openRuntime } from './home/features.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

test('a search before the first indexing finds nothing and does not fail', async (t) => {
  const { environment, home } = temporaryHome(t)
  assert.deepEqual(await run(['search', 'tide'], { environment }), {
    code: 0,
    stdout: '',
    stderr: 'No matches.\nindex: 0 of 0 files, 0 passages\n',
  })
  const runtime = await opened(home, environment)
  await runtime.library.add({ name: 'tide.txt', bytes: new Blob(['High water.']).stream(), owner: inbox })
  await runtime.close()
  writeFileSync(join(home, 'data', 'search.sqlite'), '')
  const shown = await run(['search', 'tide'], { environment })
  assert.match(shown.stderr, /^No matches\.\nindex: 0 of 1 files/)
  assert.equal(shown.code, 0)
})

test('an index that cannot be read is a sentence, and leaves everything else working', async (t) => {
  const { environment, home } = temporaryHome(t)
  mkdirSync(join(home, 'data'), { recursive: true })
  const runtime = await opened(home, environment)
  await runtime.library.add({ name: 'tide.txt', bytes: new Blob(['High water.']).stream(), owner: inbox })
  await runtime.close()
  writeFileSync(join(home, 'data', 'search.sqlite'), 'Nothing but notes. '.repeat(500))
  const { code, stderr } = await run(['search', 'tide'], { environment })
  assert.equal(code, 1)
  assert.match(stderr, /not a search index/)
  assert.doesNotMatch(stderr, /^ {4}at /m)
  const again = await opened(home, environment)
  await again.close()
})

test('a caller who aborts while the index is updated gets no result', async (t) => {
  const { environment, home } = temporaryHome(t)
  const first = await opened(home, environment)
  const files = Array.from({ length: 20 }, (_, index) => `tide${index}.txt`)
  for (const name of files) {
    const bytes = new Blob([`High water at ${name}. `.repeat(2_000)]).stream()
    await first.library.settled((await first.library.add({ name, bytes, owner: inbox })).id)
  }
  await first.close()
  for (let round = 0; round < 5; round++) {
    const warnings: string[] = []
    const next = await opened(home, environment, warnings)
    for (let step = 0; step < round * 3; step++) await new Promise(setImmediate)
    await next.close()
    await new Promise(setImmediate)
    assert.deepEqual(warnings, [])
  }
})

const inbox = { type: 'session', id: 'inbox' } as const

async function opened(home: string, environment: Readonly<Record<string, string>>, warnings: string[] = []) {
  const { configuration } = await loadConfiguration({ home, capabilities: builtIn, environment })
  const warn = (text: string) => void warnings.push(text)
  return openRuntime({ capabilities: builtIn, home, configuration, environment, version: '0', warn })
}
