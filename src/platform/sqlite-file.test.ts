import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { findSqliteFileFault, querySqliteFile, sqliteFileFault } from '../platform.ts'

const kind = {
  noun: 'store',
  repair: 'restore a backup',
  error: (code: string, message: string, options?: ErrorOptions) =>
    Object.assign(new Error(message, options), { code }),
}

function temporaryFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-sqlite-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'a.sqlite')
}

function madeFile(t: TestContext): string {
  const path = temporaryFile(t)
  const database = new DatabaseSync(path)
  database.exec("create table words (word text); insert into words values ('one'), ('two')")
  database.close()
  return path
}

test('a query in a thread of its own has the rows, and other work goes on meanwhile', async (t) => {
  const path = madeFile(t)
  assert.deepEqual(
    (await querySqliteFile(path, kind, 'select word from words order by word')).map((row) => ({ ...row })),
    [{ word: 'one' }, { word: 'two' }],
  )
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), 1)
  const long = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000) select count(*) as c from n`
  assert.deepEqual(
    (await querySqliteFile(path, kind, long)).map(({ c }) => c),
    [3_000_000],
  )
  clearInterval(timer)
  assert.ok(ticks > 5, `${ticks}`)
})

test('faults and failures are the same as in this thread', async (t) => {
  const path = madeFile(t)
  assert.equal(await findSqliteFileFault(path, kind), undefined)
  assert.equal(sqliteFileFault(path, kind), undefined)
  await assert.rejects(querySqliteFile(join(path, 'missing'), kind, 'select 1'), { code: 'not-found' })
  writeFileSync(path, 'no database at all, but long enough to be read as one '.repeat(40))
  await assert.rejects(findSqliteFileFault(path, kind), { code: 'corrupt', message: /^the file is not a store/ })
  assert.throws(() => sqliteFileFault(path, kind), { code: 'corrupt', message: /^the file is not a store/ })
})
