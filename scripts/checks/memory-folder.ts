// Keeps the temporary files of the tests in memory where that is possible. The stores of some thousand homes are written
// with fsync, as those of users are, and on a disk the tests would wait for it longer than they run.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../is-running.mjs'

const MEMORY = '/dev/shm'
const PREFIX = 'foreword-tests-'
/** Many times what the tests need at once. */
const NEEDED_BYTES = 512 * 2 ** 20

/** Sets TMPDIR to a folder in memory, which is removed at the end. Does nothing where there is too little memory. */
export function keepTemporaryFilesInMemory(): void {
  if (!isLargeEnough()) return
  removeLeftovers()
  const folder = makeFolder()
  if (folder === undefined) return
  process.env['SYSTEM_TMPDIR'] = tmpdir()
  process.env['TMPDIR'] = folder
}

function isLargeEnough(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return process.platform === 'linux' && Math.min(bavail * bsize, process.availableMemory()) >= NEEDED_BYTES
  } catch {
    return false
  }
}

/** `undefined` where the folder may not hold programs, which tests write and run. */
function makeFolder(): string | undefined {
  const folder = join(MEMORY, `${PREFIX}${process.pid}`)
  try {
    mkdirSync(folder)
    // Some tests run as another user. Like /tmp, everyone may write there and remove what is their own.
    chmodSync(folder, 0o1777)
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(program)
    rmSync(program)
    return folder
  } catch {
    return undefined
  }
}

/** Folders of runs that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX) || isRunning(Number(name.slice(PREFIX.length)))) continue
    const folder = join(MEMORY, name)
    if (statSync(folder).uid === process.getuid?.()) rmSync(folder, { recursive: true, force: true })
  }
}
