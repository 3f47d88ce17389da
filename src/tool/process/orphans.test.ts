import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { endOrphans, newMark } from './process-tree.ts'

const onLinux = { skip: process.platform !== 'linux' }

test(
  'programs of a process that was killed are ended by the next one of its home, and others stay',
  onLinux,
  async (t) => {
    const [home, other] = [await folderOf(t), await folderOf(t)]
    const link = join(other, 'link')
    await symlink(home, link)
    const living = [program(t, newMark(home)), program(t, undefined), program(t, ofKilled(newMark(undefined)))]
    const ofOther = program(t, ofKilled(newMark(other)))
    const orphan = program(t, ofKilled(newMark(home)))
    await Promise.all([...living, ofOther, orphan].map((child) => once(child, 'spawn')))

    const ended = once(orphan, 'exit')
    await until(() => endOrphans(link) > 0)
    await ended
    assert.equal(orphan.signalCode, 'SIGKILL')
    assert.equal(endOrphans(home), 0)
    assert.deepEqual([...living, ofOther].map(isAlive), [true, true, true, true])

    const otherEnded = once(ofOther, 'exit')
    await until(() => endOrphans(other) > 0)
    await otherEnded
    assert.deepEqual(living.map(isAlive), [true, true, true])
  },
)

/** The mark as a process that is gone made it. */
function ofKilled(mark: string): string {
  const [home, , , id] = mark.split('.')
  return `${home}.999999999.1.${id}`
}

function program(t: TestContext, mark: string | undefined): ChildProcess {
  const child = spawn('sleep', ['60'], { env: mark === undefined ? {} : { FOREWORD_RUN: mark }, stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  return child
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orphans-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A program that is just being started has no environment for a moment. */
async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5))
}
