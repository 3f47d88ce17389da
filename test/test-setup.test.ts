import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'

const root = join(import.meta.dirname, '..')
const OPTIONS = [
  '--import',
  './scripts/unfollowed-promises.mjs',
  '--test',
  '--test-global-setup=./scripts/test-setup.mjs',
]

/** Runs a test file of this text as `npm test` does. */
function runFile(t: TestContext, text: string): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-test-setup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'some.test.mjs')
  writeFileSync(file, `import { existsSync } from 'node:fs'\nimport test from 'node:test'\n${text}`)
  // The runner does nothing inside a test of another one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout } = spawnSync(process.execPath, [...OPTIONS, file], { cwd: root, env, encoding: 'utf8' })
  return { status, output: stdout }
}

test('an error that nothing catches fails its file and is shown, in a promise and in a timer', (t) => {
  for (const fault of [
    `void Promise.reject(new Error('lost'))`,
    `setTimeout(() => { throw new Error('lost') })`,
    `void (async () => { await 0; throw new Error('lost') })()`,
  ]) {
    const { status, output } = runFile(
      t,
      `test('one', () => { ${fault} })\ntest('two', (_, done) => setTimeout(done, 20))`,
    )
    assert.equal(status, 1, fault)
    assert.match(output, /lost/, fault)
  }
})

test('the temporary files of a run are in a folder of its own where memory holds them, and go with it; those of a killed run go, too', (t) => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const killed = `/dev/shm/foreword-tests-${pid}`
  if (existsSync('/dev/shm')) mkdirSync(join(killed, 'home'), { recursive: true })
  t.after(() => rmSync(killed, { recursive: true, force: true }))
  const { status, output } = runFile(
    t,
    `test('one', (t) => t.diagnostic(existsSync(process.env.TMPDIR ?? '/tmp') + ' ' + process.env.TMPDIR))`,
  )
  assert.equal(status, 0, output)
  const [, exists, folder] = /(true|false) (\S+)/.exec(output) ?? []
  assert.equal(exists, 'true')
  if (!folder!.startsWith('/dev/shm/')) return t.skip('there is no memory for temporary files here')
  assert.match(folder!, /^\/dev\/shm\/foreword-tests-\d+$/)
  assert.ok(!existsSync(folder!))
  assert.ok(!existsSync(killed))
})
