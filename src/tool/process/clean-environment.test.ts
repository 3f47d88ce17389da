import assert from 'node:assert/strict'
import test from 'node:test'
import { cleanEnvironment } from './clean-environment.ts'

const OWN = { TERM: 'dumb', NO_COLOR: '1', FOREWORD_TOOL: '1' }

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
