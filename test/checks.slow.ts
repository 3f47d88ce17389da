import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { isRunning } from '../scripts/is-running.mjs'

const root = join(import.meta.dirname, '..')
const command = ['--conditions=foreword-source', 'scripts/checks.ts']

/** Runs a test file of this text as `npm test` does. */
function runFile(t: TestContext, text: string): { readonly status: number | null; readonly output: string } {
  const { status, stdout } = spawnSync(process.execPath, [...command, fileOf(t, text)], { cwd: root, encoding: 'utf8' })
  return { status, output: stdout }
}

function fileOf(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-checks-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'some.test.mjs')
  writeFileSync(file, `import { existsSync, writeFileSync } from 'node:fs'\nimport test from 'node:test'\n${text}`)
  return file
}

test('the last line has the sums, and a failure is shown whole', (t) => {
  const passing = runFile(t, `test('one', () => {})\ntest('two', { skip: 'no moon' }, () => {})`)
  assert.equal(passing.status, 0, passing.output)
  assert.match(passing.output, /^skipped 1: no moon$/m)
  assert.match(passing.output, /\n1 passed, 0 failed, 1 skipped\n$/)
  const failing = runFile(t, `console.log('before')\ntest('one', () => { throw new Error('the cause') })`)
  assert.equal(failing.status, 1)
  assert.match(failing.output, /some\.test\.mjs:\d+\n +Error: the cause\n +at /)
  assert.match(failing.output, /before/)
  assert.match(failing.output, /^failed: \S+some\.test\.mjs: one$/m)
  assert.match(failing.output, /\n0 passed, 1 failed\n$/)
})

test('a file that fails runs once more, and one that passes then is reported as flaky', (t) => {
  const { status, output } = runFile(
    t,
    `test('one', () => {
      const mark = import.meta.filename + '.mark'
      if (existsSync(mark)) return
      writeFileSync(mark, '')
      throw new Error('the first time')
    })`,
  )
  assert.equal(status, 0, output)
  assert.match(output, /the first time/)
  assert.match(output, /^\| \d{4}-\d\d-\d\d \| \S+some\.test\.mjs \| one \| \|$/m)
  assert.match(output, /^1 flaky$/m)
  assert.match(output, /\n1 passed, 0 failed\n$/)
})

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

test('a process that ends without a result, and a file without a test, have failed', (t) => {
  assert.match(runFile(t, `test('one', () => process.exit(3))`).output, /ended with exit code 3/)
  assert.match(runFile(t, '').output, /no test has run/)
})

test('a run that is interrupted ends whatever its tests have started', async (t) => {
  const mark = join(tmpdir(), `foreword-checks-${process.pid}`)
  t.after(() => rmSync(mark, { force: true }))
  const file = fileOf(
    t,
    `import { spawn } from 'node:child_process'
    test('one', async () => {
      const child = spawn('sleep', ['600'])
      writeFileSync(${JSON.stringify(mark)}, String(child.pid))
      await new Promise((resolve) => setTimeout(resolve, 600_000))
    })`,
  )
  const run = spawn(process.execPath, [...command, file], { cwd: root, stdio: 'ignore' })
  const ended = once(run, 'close')
  while (!existsSync(mark) || readFileSync(mark, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 20))
  run.kill('SIGINT')
  assert.deepEqual(await ended, [130, null])
  while (isRunning(Number(readFileSync(mark, 'utf8')))) await new Promise((resolve) => setTimeout(resolve, 20))
})

test('the temporary files of a run are in a folder of its own where memory holds them, and go with it; those of a killed run go, too', (t) => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const killed = `/dev/shm/foreword-tests-${pid}`
  if (existsSync('/dev/shm')) mkdirSync(join(killed, 'home'), { recursive: true })
  t.after(() => rmSync(killed, { recursive: true, force: true }))
  const mark = join(tmpdir(), `foreword-folder-${process.pid}`)
  t.after(() => rmSync(mark, { force: true }))
  const { status, output } = runFile(
    t,
    `test('one', () => writeFileSync(${JSON.stringify(mark)}, existsSync(process.env.TMPDIR ?? '/tmp') + ' ' + process.env.TMPDIR))`,
  )
  assert.equal(status, 0, output)
  const [exists, folder] = readFileSync(mark, 'utf8').split(' ')
  assert.equal(exists, 'true')
  if (!folder!.startsWith('/dev/shm/')) return t.skip('there is no memory for temporary files here')
  assert.match(folder!, /^\/dev\/shm\/foreword-tests-\d+$/)
  assert.ok(!existsSync(folder!))
  assert.ok(!existsSync(killed))
})
