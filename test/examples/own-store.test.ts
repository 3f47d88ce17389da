import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { jsonLines } from '../../examples/08-own-store.ts'
import { storeCases } from '../../src/testing.ts'

storeCases(test, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-json-lines-'))
  return { open: () => jsonLines.open({ folder }), remove: () => rm(folder, { recursive: true, force: true }) }
})
