import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { run } from './cli/recorded-io.ts'
import { scriptedConnection } from './cli/scripted-connection.ts'

test('bash completes commands, their words and their options, of capabilities too', async () => {
  const { code, stdout } = await run(['completion', 'bash'])
  assert.equal(code, 0)
  const folder = mkdtempSync(join(tmpdir(), 'foreword-completion-'))
  writeFileSync(join(folder, 'foreword.bash'), stdout)
  const complete = (...words: readonly string[]): readonly string[] => {
    const typed = ['foreword', ...words].map((word) => `'${word}'`).join(' ')
    const script = `. ./foreword.bash; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _foreword; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout: found } = spawnSync('bash', ['--norc', '-c', script], { cwd: folder, encoding: 'utf8' })
    return found.trim().split('\n')
  }
  try {
    assert.deepEqual(complete('sched'), ['schedule'])
    assert.deepEqual(complete('schedule', 'p'), ['pause'])
    assert.deepEqual(complete('calls', 're'), ['request', 'replay'])
    assert.deepEqual(complete('send', '--conti'), ['--continue'])
    assert.deepEqual(complete('requ'), [''])
    assert.deepEqual(complete('files', 'add', 'forew'), ['foreword.bash'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('zsh and fish get every command and option, with its summary in quotes that hold', async () => {
  const zsh = await run(['completion', 'zsh'])
  const fish = await run(['completion', 'fish'])
  assert.match(zsh.stdout, /^#compdef foreword\n/)
  assert.match(zsh.stdout, /'restore:restore a home from an archive of `foreword backup`'/)
  assert.match(fish.stdout, /^complete -c foreword -n '__fish_use_subcommand' -f -a costs -d '/m)
  assert.match(fish.stdout, /^complete -c foreword -n '__fish_seen_subcommand_from costs' -l by -r -d '/m)
  for (const { stdout } of [zsh, fish]) assert.doesNotMatch(stdout, /(-a|')(replay|usage)\b[: ]/)
  const other = await run(['completion', 'tcsh'])
  assert.deepEqual(
    [other.code, other.stderr],
    [2, 'foreword completion: There is no completion for tcsh.\n  Use one of bash, zsh, fish.\n'],
  )
})

test('calls has what were commands of their own, and those still run', async () => {
  const replay = { session: 's1', calls: 2, identical: 2, different: [] }
  const connection = () =>
    scriptedConnection({ 'GET /api/sessions/s1': { id: 's1' }, 'GET /api/sessions/s1/replay': replay })
  const now = await run(['calls', 'replay', 's1'], { connection: connection() })
  const before = await run(['replay', 's1'], { connection: connection() })
  assert.deepEqual([now.code, now.stdout], [0, '2 of 2 identical\n'])
  assert.deepEqual(before, now)
  const help = await run(['replay', '--help'])
  assert.match(help.stdout, /^The same as `foreword calls replay`\.$/m)
  const wrong = await run(['calls', 'replay', 's1', '--pretty'])
  assert.deepEqual([wrong.code, wrong.stderr.split('\n')[0]], [2, 'foreword calls: calls replay has no --pretty.'])
  const missing = await run(['calls', 'diff', 'last'])
  assert.deepEqual([missing.code, missing.stderr.split('\n')[0]], [2, 'foreword calls: An argument is missing.'])
})

test('the help lists commands by what they are for, and none that has moved', async () => {
  const { stdout } = await run(['--help'])
  const headings = [...stdout.matchAll(/^(\S.*)$/gm)].map(([line]) => line).slice(1, -1)
  assert.deepEqual(headings, ['Usage', 'Talk', 'Look', 'Money', 'Set up', 'Keep', 'Options'])
  for (const moved of ['request', 'diff', 'replay', 'explain', 'notes', 'usage'])
    assert.doesNotMatch(stdout, new RegExp(`^ {2}${moved} `, 'm'))
})

test('costs adds up tokens, too, as `usage` did', async () => {
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
  const sums = {
    calls: 2,
    unreported: 0,
    unpriced: 2,
    prompt: 1_200,
    fresh: 1_000,
    cached: 200,
    written: 0,
    undivided: 0,
    output: 30,
  }
  const report = { by: 'model', from: undefined, zone, total: sums, rows: [{ ...sums, key: 'local/m' }] }
  const path = `GET /api/usage?${new URLSearchParams({ by: 'model', zone, limit: '1000' }).toString()}`
  const connection = () => scriptedConnection({ [path]: report })
  const now = await run(['costs', '--tokens', '--by', 'model'], { connection: connection() })
  assert.match(now.stdout, /^local\/m +2 +1,200 /m)
  assert.deepEqual(await run(['usage', '--by', 'model'], { connection: connection() }), now)
  const wrong = await run(['costs', '--tokens', '--csv'])
  assert.deepEqual([wrong.code, wrong.stderr.split('\n')[0]], [2, 'foreword costs: --tokens has no --csv.'])
})
