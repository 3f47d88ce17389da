import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { openedHome } from './home/opened-home.ts'

const onLinux = { skip: process.platform === 'linux' ? false : 'it needs /proc' }

test('a start ends what a killed process of its home left running, and nothing of another home', onLinux, async (t) => {
  const shell = { enabled: true, allowedPrefixes: ['printenv'] }
  const policy = { global: { allowedTools: ['shell'] }, sandbox: { withoutIt: 'run' }, tools: { shell } }
  const one = await openedHome(t, { 'workspace/a.txt': '', 'tool-access.json': JSON.stringify(policy) })
  const ran = await one.say('/call shell {"cmd": "printenv FOREWORD_RUN"}\n/say Ran.')
  const [home, pid, , id] = ran.results[0]!.trim().split('.')
  assert.equal(Number(pid), process.pid)

  const left = spawn('sleep', ['60'], { env: { FOREWORD_RUN: `${home}.999999999.1.${id}` }, stdio: 'ignore' })
  t.after(() => left.kill('SIGKILL'))
  await once(left, 'spawn')
  const other = await openedHome(t)
  await other.reopened()
  assert.deepEqual([left.exitCode, left.signalCode], [null, null])
  const ended = once(left, 'exit')
  const { warnings } = await (await one.reopened()).runtime.status()
  await ended
  assert.equal(left.signalCode, 'SIGKILL')
  assert.match(warnings.join('\n'), /Stopped 1 programs that a former process had left running/)
})
