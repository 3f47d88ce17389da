import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { searchEngineCases } from '../../../test/cases/search-engine-cases.ts'
import { openSqliteSearch } from './open-sqlite-search.ts'
import { systemClock } from '../../platform.ts'

searchEngineCases(test, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-search-'))
  return {
    open: (options) => openSqliteSearch({ clock: systemClock, path: join(folder, 'search.sqlite'), ...options }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
})
