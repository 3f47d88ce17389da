import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { cleanEnvironment, OWN_ENVIRONMENT } from './clean-environment.ts'

const OWN = OWN_ENVIRONMENT

test('what a program needs passes', () => {
  const needed = {
    PATH: '/usr/bin:/bin',
    HOME: '/home/anna',
    USER: 'anna',
    LOGNAME: 'anna',
    LANG: 'de_AT.UTF-8',
    LC_ALL: 'C',
    LC_NUMERIC: 'C',
    TZ: 'Europe/Vienna',
    TMPDIR: '/tmp',
    SHELL: '/bin/sh',
  }
  assert.deepEqual(cleanEnvironment(needed), { ...needed, ...OWN })
})

test('keys, settings of Foreword and everything else stay behind', () => {
  const environment = {
    ANTHROPIC_API_KEY: 'hunter2',
    FOREWORD_GATEWAY_TOKEN: 'hunter2',
    FOREWORD_HOME: '/secret',
    FOREWORD_TOOL: '0',
    AWS_SESSION_TOKEN: 'hunter2',
    LC_API_TOKEN: 'hunter2',
    SSH_AUTH_SOCK: '/run/agent',
    LD_PRELOAD: '/tmp/x.so',
    NODE_OPTIONS: '--require /tmp/x.js',
    GIT_SSH_COMMAND: 'x',
    TERM: 'xterm-256color',
    path: '/tmp',
    EMPTY: undefined,
    HOME: undefined,
  }
  assert.deepEqual(cleanEnvironment(environment), OWN)
})

test('places that depend on the folder are taken from the PATH', () => {
  assert.equal(cleanEnvironment({ PATH: ':/usr/bin::.:node_modules/.bin:/bin:' })['PATH'], '/usr/bin:/bin')
})

test('what is added is added as it is', () => {
  assert.deepEqual(cleanEnvironment({}, { TOKEN: 'x', TERM: 'xterm' }), { ...OWN, TOKEN: 'x', TERM: 'xterm' })
})

/** A repository with hooks, a monitor and a pager, each of which leaves a file of its name; and a bare one within it. */
function hostileRepository(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-git-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: folder })
  const script = (path: string) => {
    writeFileSync(join(folder, path), `#!/bin/sh\necho x > "${folder}/$(basename "$0").ran"\n`)
    chmodSync(join(folder, path), 0o755)
    return join(folder, path)
  }
  git('init', '-q', '-b', 'main')
  git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one')
  script('.git/hooks/pre-commit')
  git('config', 'core.fsmonitor', script('monitor'))
  git('config', 'user.name', 'A')
  git('config', 'user.email', 'a@b')
  mkdirSync(join(folder, 'sub/refs'), { recursive: true })
  mkdirSync(join(folder, 'sub/objects'))
  writeFileSync(join(folder, 'sub/HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(
    join(folder, 'sub/config'),
    `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ${folder}\nfsmonitor = ${script('planted')}\n`,
  )
  const ran = () => ['pre-commit', 'monitor', 'planted'].filter((name) => existsSync(join(folder, `${name}.ran`)))
  const call = (cwd: string, environment: Readonly<Record<string, string | undefined>>, ...words: readonly string[]) =>
    spawnSync('git', words, { cwd: join(folder, cwd), env: environment, encoding: 'utf8' })
  return { ran, call }
}

test('a repository that the model has written makes Git run nothing', (t) => {
  const { ran, call } = hostileRepository(t)
  const environment = cleanEnvironment({ PATH: process.env['PATH'] })
  assert.equal(call('.', environment, 'status').status, 0)
  assert.equal(call('.', environment, 'commit', '--allow-empty', '-qm', 'two').status, 0)
  assert.match(call('sub', environment, 'status').stderr, /cannot use bare repository/)
  assert.match(call('.', environment, 'fetch', 'ext::sh -c true').stderr, /transport 'ext' not allowed/)
  assert.deepEqual(ran(), [])
  // Without the settings all of them run.
  const usual = { PATH: process.env['PATH'] }
  call('.', usual, 'commit', '--allow-empty', '-qm', 'three')
  call('sub', usual, 'status')
  assert.deepEqual(ran(), ['pre-commit', 'monitor', 'planted'])
})
