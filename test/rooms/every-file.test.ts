import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'node:test'
import { filesOf, root, shared } from './tests-of.ts'

const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { test: string } }).scripts
const own = [...scripts.test.matchAll(/"([^"]+\.test\.ts)"/g)].map(([, pattern]) => pattern!)

test('npm test runs every test file once', () => {
  const run = [own, ...Object.values(shared)].flatMap(filesOf)
  assert.deepEqual(run.toSorted(), filesOf(['{src,test}/**/*.test.ts']))
})

test('every entry runs its files, and every pattern names some', () => {
  const entries = filesOf(['test/rooms/*.test.ts']).filter((file) => file !== 'test/rooms/every-file.test.ts')
  assert.deepEqual(entries.map((file) => basename(file, '.test.ts')).toSorted(), Object.keys(shared).toSorted())
  for (const file of entries) {
    const name = basename(file, '.test.ts')
    assert.equal(
      readFileSync(join(root, file), 'utf8'),
      `import { testsOf } from './tests-of.ts'\n\nawait testsOf('${name}')\n`,
    )
  }
  for (const pattern of [...own, ...Object.values(shared).flat()]) assert.notDeepEqual(filesOf([pattern]), [], pattern)
})
