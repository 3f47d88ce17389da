import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { endOrphans, newMark } from './process-tree.ts'

const onLinux = { skip: process.platform !== 'linux' }

test(
  'programs of a process that was killed are ended by the next one, and those of a living one stay',
  onLinux,
  async () => {
    const ours = spawn('sleep', ['60'], { env: { FOREWORD_RUN: newMark() }, stdio: 'ignore' })
    const orphan = spawn('sleep', ['60'], { env: { FOREWORD_RUN: '999999999.1.left' }, stdio: 'ignore' })
    const stranger = spawn('sleep', ['60'], { env: {}, stdio: 'ignore' })
    try {
      await Promise.all([ours, orphan, stranger].map((child) => once(child, 'spawn')))
      const ended = once(orphan, 'exit')
      await until(() => endOrphans() > 0)
      await ended
      assert.equal(orphan.signalCode, 'SIGKILL')
      assert.deepEqual(
        [ours.exitCode, ours.signalCode, stranger.exitCode, stranger.signalCode],
        [null, null, null, null],
      )
      assert.equal(endOrphans(), 0)
    } finally {
      for (const child of [ours, orphan, stranger]) child.kill('SIGKILL')
    }
  },
)

/** A program that is just being started has no environment for a moment. */
async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5))
}
