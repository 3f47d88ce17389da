import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { UndeliverableError } from '../../src/capability.ts'
import { shareImports } from '../../src/runtime/load-module.ts'
import type { Tool } from '../../src/tool.ts'

const MINE = `
import { UndeliverableError } from 'foreword/capability'
import { tool } from 'foreword/tool'
import { z } from 'zod'
export const thrown: Error = new UndeliverableError('gone')
export const bell = tool({ name: 'bell', schema: z.object({ times: z.int() }), execute: () => 'rung' })
`

test('a module of the home needs nothing installed, and has the classes of what runs', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'foreword-imports-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  await writeFile(join(home, 'mine.ts'), MINE)
  // A copy that is installed for its types is not the one that runs.
  await mkdir(join(home, 'node_modules', 'foreword'), { recursive: true })
  await writeFile(join(home, 'node_modules', 'foreword', 'package.json'), '{"name": "foreword", "exports": {}}')
  const load = () => import(pathToFileURL(join(home, 'mine.ts')).href) as Promise<Record<string, unknown>>

  await assert.rejects(load(), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' })
  shareImports(home)
  shareImports(home)
  const { thrown, bell } = await load()
  assert.ok(thrown instanceof UndeliverableError)
  assert.deepEqual((bell as Tool).inputSchema['required'], ['times'])
})

test('zod is the one that is installed beside the module', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'foreword-imports-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  await mkdir(join(home, 'node_modules', 'zod'), { recursive: true })
  await writeFile(
    join(home, 'node_modules', 'zod', 'package.json'),
    '{"name": "zod", "type": "module", "exports": "./z.js"}',
  )
  await writeFile(join(home, 'node_modules', 'zod', 'z.js'), `export const own = 'beside'\n`)
  await writeFile(join(home, 'mine.ts'), `export { own } from 'zod'\n`)
  shareImports(home)
  const { own } = (await import(pathToFileURL(join(home, 'mine.ts')).href)) as { own: string }
  assert.equal(own, 'beside')
})
