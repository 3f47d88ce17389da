import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Finding, ok, problem, warning } from './finding.ts'

const NEEDED_NODE = 24
const MEBIBYTE = 1024 * 1024

/** `version` without its leading `v`. */
export function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= NEEDED_NODE) return ok('node', `Node ${version}`)
  return problem(
    'node',
    `Node ${version} is too old: Foreword needs ${NEEDED_NODE} or newer`,
    'Install a newer Node from nodejs.org; in a checkout `npm start` brings its own.',
  )
}

/** Room for sessions on the disk of the home. */
export async function checkDisk(home: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestFolder(home))
  const free = Math.floor((bavail * bsize) / MEBIBYTE)
  const message = `${free} MiB free at ${home}`
  if (free >= 1024) return ok('disk', message)
  const hint = 'Free some space, or move the home to another disk and name it with FOREWORD_HOME.'
  return free < 100 ? problem('disk', message, hint) : warning('disk', message, hint)
}

/** A clock that runs behind the log would give new entries old times. `newest` is the time of the last thing written. */
export function checkClock(now: Date, newest: string | undefined, released: string): Finding {
  const hint = 'Set the clock of this machine, best by switching network time on.'
  const time = now.toISOString()
  if (time < released) return problem('clock', `the clock says ${time}, before this version was made`, hint)
  const ahead = newest === undefined ? 0 : Date.parse(newest) - now.getTime()
  if (ahead <= 60_000) return ok('clock', time)
  return warning('clock', `the clock says ${time}, but the log was last written at ${newest}`, hint)
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path))
}
