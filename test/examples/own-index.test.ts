import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pilotBooks from '../../examples/10-own-index.ts'
import { startCapabilities } from '../../src/capability/toolkit.ts'
import { capabilityCases, capabilityHost } from '../../src/testing.ts'
import { createToolbox } from '../../src/tool.ts'
import { temporaryHome } from '../cli/home.ts'
import { run } from '../cli/recorded-io.ts'
import { systemClock } from '../../src/platform.ts'

const books = mkdtempSync(join(tmpdir(), 'foreword-pilot-books-'))
test.after(() => rmSync(books, { recursive: true, force: true }))

capabilityCases(test, pilotBooks, { settings: { folder: books } })

test('the example of an index finds a passage of its folder', async (t) => {
  writeFileSync(join(books, 'brest.md'), 'Leave the Marigold buoy to port.')
  const home = { folder: books, data: join(books, 'data'), workspace: books }
  mkdirSync(home.data)
  const host = await capabilityHost({ home, settings: { 'pilot-books': { folder: books } } })
  const running = await startCapabilities([pilotBooks], host)
  t.after(() => running.stop())
  const toolbox = createToolbox(running.tools())
  const context = { clock: systemClock, session: 's1', turn: 't1', signal: new AbortController().signal }
  const call = { toolCallId: 'c1', toolName: 'pilot_books', input: { words: 'marigold' } }
  assert.deepEqual(await toolbox.run(call, context), {
    ok: true,
    output: 'brest.md: Leave the Marigold buoy to port.',
  })
})

test('a backup has the index of a capability of the home, and reports its folder outside the home', async (t) => {
  const { home, environment } = temporaryHome(t)
  mkdirSync(home)
  cpSync(join(import.meta.dirname, '../../examples/10-own-index.ts'), join(home, '10-own-index.ts'))
  const configuration = { capabilities: ['./10-own-index.ts'], 'pilot-books': { folder: books } }
  writeFileSync(join(home, 'config.json'), JSON.stringify(configuration))
  assert.equal((await run(['send', 'Hello'], { environment })).code, 0)
  assert.ok(existsSync(join(home, 'data/pilot-books.sqlite')))
  // What SQLite keeps beside a file that is open belongs to no copy.
  writeFileSync(join(home, 'data/pilot-books.sqlite-shm'), 'open')
  const archive = join(home, '../home.tar.gz')
  const saved = await run(['backup', archive], { environment })
  assert.deepEqual([saved.code, saved.stderr], [0, `Not in the archive because it is outside the home: ${books}\n`])
  const other = join(home, '../other')
  assert.equal((await run(['restore', archive, '--home', other, '--yes'], { environment })).code, 0)
  assert.ok(existsSync(join(other, 'data/pilot-books.sqlite')))
  assert.ok(!existsSync(join(other, 'data/pilot-books.sqlite-shm')))
})
