import { constants, existsSync } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '../../capability.ts'
import { ok, problem, warning } from './finding.ts'

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

/** The home: whether it can be written, and whether others can read what is private in it. */
export async function checkHome(home: string): Promise<Finding> {
  const facts = await stat(home).catch(() => undefined)
  if (facts === undefined) return ok('home', `${home} is not there yet; \`foreword start\` makes it`)
  if (!facts.isDirectory()) {
    return problem('home', `${home} is not a folder`, 'Move it away, or name another home with FOREWORD_HOME.')
  }
  const writable = await access(home, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!writable) {
    return problem('home', `${home} cannot be read and written by this user`, `Run \`chown -R "$USER" ${home}\`.`)
  }
  const { isRestorePending } = await import('../../runtime.ts')
  if (!isRestorePending(home)) return ok('home', home)
  return problem('home', 'a restore was interrupted', 'Run `foreword start`: it completes the restore first.')
}

/** What only its owner should be able to read. */
export async function checkPrivacy(privateFiles: readonly string[]): Promise<Finding> {
  if (process.platform === 'win32') return ok('permissions', 'kept by Windows')
  const open: string[] = []
  for (const path of privateFiles) {
    const facts = await stat(path).catch(() => undefined)
    if (facts !== undefined && (facts.mode & 0o077) !== 0) open.push(path)
  }
  if (open.length === 0) return ok('permissions', 'only you can read what is private')
  return warning(
    'permissions',
    `other users of this machine can read ${open.join(', ')}`,
    `Run \`chmod go= ${open.join(' ')}\`.`,
  )
}
