import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sessionStoreCases } from '../../testing.ts'
import { openSqliteStore } from './open-sqlite-store.ts'

sessionStoreCases(test, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-store-'))
  return {
    open: () => openSqliteStore({ path: join(folder, 'store.sqlite') }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
})
