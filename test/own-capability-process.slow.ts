import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'

const root = join(import.meta.dirname, '..')

test('a checkout runs the capabilities that a home names: its command, its layer and its layout', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'foreword-own-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  for (const name of ['06-own-capability.ts', '07-own-layout.ts']) {
    cpSync(join(root, 'examples', name), join(home, name))
  }
  const configuration = {
    capabilities: ['./06-own-capability.ts', './07-own-layout.ts'],
    context: { layout: 'logbook' },
  }
  writeFileSync(join(home, 'config.json'), JSON.stringify(configuration), { mode: 0o600 })
  // As a person runs it: without the conditions of these tests.
  const run = (...argv: readonly string[]) =>
    spawnSync(process.execPath, [join(root, 'bin/foreword.js'), ...argv, '--home', home], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home },
    })
  const tide = run('tide', '3')
  assert.equal(tide.status, 0, tide.stderr)
  const sent = run('send', 'Hello')
  assert.match(sent.stdout, /^- Instructions, \d+ tokens: .*\bboat\b/m, sent.stderr)
})
