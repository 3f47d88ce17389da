import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { commonVariables, openRunFiles, runEnvironment } from './run-environment.ts'

test('what a killed run left is removed, and nothing that another user put there', (t) => {
  // No process has such a number.
  const [own, foreign] = [1, 2].map((end) => mkdtempSync(join(tmpdir(), `foreword-wrap-99999999${end}-`)))
  t.after(() => [own!, foreign!].forEach((path) => rmSync(path, { recursive: true, force: true })))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(foreign!, 65_534, 65_534)
  openRunFiles().remove()
  assert.deepEqual([own!, foreign!].map(existsSync), [false, isRoot])
})

test('files are for their owner alone, nothing that is there is written over, and what was made is gone afterwards', (t) => {
  const place = mkdtempSync(join(tmpdir(), 'foreword-run-'))
  t.after(() => rmSync(place, { recursive: true, force: true }))
  const before = process.umask(0)
  t.after(() => process.umask(before))
  const files = openRunFiles()
  const [inside, outside] = [join(files.folder, 'a.json'), join(place, 'one/two', `foreword-wrap-${process.pid}.json`)]
  files.write([inside, outside].map((path) => ({ path, text: 'private' })))
  assert.deepEqual(
    [files.folder, inside, dirname(outside), outside].map((path) => (statSync(path).mode & 0o777).toString(8)),
    ['700', '600', '700', '600'],
  )
  const link = join(place, `foreword-wrap-${process.pid}-link.json`)
  writeFileSync(join(place, 'mine'), 'mine')
  symlinkSync(join(place, 'mine'), link)
  for (const path of [inside, link]) assert.throws(() => files.write([{ path, text: 'x' }]), { code: 'EEXIST' })
  files.remove()
  assert.deepEqual([files.folder, inside, join(place, 'one')].map(existsSync), [false, false, false])
  assert.equal(readFileSync(join(place, 'mine'), 'utf8'), 'mine')
})

test('a program gets the token of its run, and that of the owner from no variable', () => {
  const given = { FOREWORD_GATEWAY_TOKEN: 'of-the-owner', PATH: '/bin' }
  const environment = runEnvironment(given, { ...commonVariables(given, 'a-run'), TOKEN: 'of-the-run' })
  assert.ok(!JSON.stringify(environment).includes('of-the-owner'))
  assert.deepEqual([environment['PATH'], environment['TOKEN']], ['/bin', 'of-the-run'])
})
