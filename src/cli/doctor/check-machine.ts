import { phrase } from '../../context.ts'
import { constants, existsSync } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '../../capability.ts'
import {
  type ReadMounts,
  remoteFileSystem,
  errorMessage,
  ForewordError,
  shellWords,
  systemClock,
} from '../../platform.ts'
import { ok, problem, warning } from './finding.ts'
import type { DatabaseFacts, DatabasePlace } from '../../session.ts'

const NEEDED_NODE = 24
const MEBIBYTE = 1024 * 1024

/** Checks the version of Node, given without its leading `v`. */
export function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= NEEDED_NODE) return ok('node', phrase`Node ${version}`)
  return problem(
    'node',
    phrase`Node ${version} is too old; Foreword needs Node ${NEEDED_NODE} or newer`,
    phrase`Install a newer version from nodejs.org. In a checkout, \`npm start\` uses its own.`,
  )
}

export async function checkDisk(home: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestFolder(home))
  const free = Math.floor((bavail * bsize) / MEBIBYTE)
  const message = phrase`${free} MiB free at ${home}`
  if (free >= 1024) return ok('disk', message)
  const hint = phrase`Free some space, or move the home to another disk and set FOREWORD_HOME.`
  return free < 100 ? problem('disk', message, hint) : warning('disk', message, hint)
}

/** Checks that the clock is neither behind the log (`newest`) nor before this version (`released`). ISO 8601. */
export function checkClock(now: Date, newest: string | undefined, released: string): Finding {
  const hint = phrase`Set the clock of this machine, for example by turning on network time.`
  const time = now.toISOString()
  if (time < released)
    return problem('clock', phrase`the clock shows ${time}, which is before the release of this version`, hint)
  const ahead = newest === undefined ? 0 : Date.parse(newest) - now.getTime()
  if (ahead <= 60_000) return ok('clock', time)
  return warning('clock', phrase`the clock shows ${time}, but the log was last written at ${newest!}`, hint)
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path))
}

/** Checks that the home is a folder that this user can read and write, and that no restore is pending. */
export async function checkHome(home: string, readMounts?: ReadMounts): Promise<Finding> {
  const facts = await stat(home).catch(() => undefined)
  if (facts === undefined) return ok('home', phrase`${home} does not exist yet; \`foreword start\` creates it`)
  if (!facts.isDirectory()) {
    return problem('home', phrase`${home} is not a folder`, phrase`Move it away, or set FOREWORD_HOME to another home.`)
  }
  const writable = await access(home, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!writable)
    return problem(
      'home',
      phrase`this user cannot read and write ${home}`,
      phrase`Run \`chown -R "$USER" ${shellWords([home])}\`.`,
    )
  const [{ isRestorePending }, { networkFault }] = await Promise.all([
    import('../../runtime.ts'),
    import('../../session.ts'),
  ])
  const fault = networkFault(home, readMounts)
  if (fault !== undefined) {
    return problem('home', fault, phrase`Move the home to a disk of this machine, and set FOREWORD_HOME.`)
  }
  const shared = remoteFileSystem(home, readMounts)
  if (shared) {
    const what = phrase`${home} is a folder of the host of this virtual machine (${shared.type}): nothing may open it there meanwhile`
    return warning('home', what, phrase`Move the home to a disk of this machine, and set FOREWORD_HOME.`)
  }
  if (!isRestorePending(home)) return ok('home', home)
  return problem(
    'home',
    phrase`a restore was interrupted`,
    phrase`Run \`foreword start\`, which completes the restore first.`,
  )
}

/** Checks that only the owner can read private files. */
export async function checkPrivacy(privateFiles: readonly string[]): Promise<Finding> {
  if (process.platform === 'win32') return ok('permissions', phrase`managed by Windows`)
  const open: string[] = []
  for (const path of privateFiles) {
    const facts = await stat(path).catch(() => undefined)
    if (facts !== undefined && (facts.mode & 0o077) !== 0) open.push(path)
  }
  if (open.length === 0) return ok('permissions', phrase`only you can read private files`)
  return warning(
    'permissions',
    phrase`other users of this machine can read ${open.join(', ')}`,
    phrase`Run \`chmod go= ${shellWords(open)}\`.`,
  )
}

/** Checks that a gateway can use a database: that it is reached, is new enough, and lets its user do what is needed. */
export async function checkDatabase(place: DatabasePlace): Promise<readonly Finding[]> {
  const { examineDatabase } = await import('../../session.ts')
  try {
    return databaseFindings(await examineDatabase(place, systemClock))
  } catch (error) {
    const hint = (error instanceof ForewordError && error.hint) || phrase`Correct \`store\` in config.json.`
    return [problem('database', errorMessage(error), hint)]
  }
}

function databaseFindings(facts: DatabaseFacts): readonly Finding[] {
  const { place, version, isTooOld, missingRights, isPooled, isPrivate, holder, tables } = facts
  const used = holder === undefined ? phrase`no gateway uses it now` : phrase`in use by ${holder}`
  const found = [ok('database', phrase`${place} is PostgreSQL ${version}, ${used}`)]
  if (isTooOld)
    found.push(
      problem('database', phrase`PostgreSQL ${version} is too old`, phrase`Foreword needs PostgreSQL 13 or newer.`),
    )
  if (missingRights.length > 0) {
    const hint = phrase`Run \`grant create on database NAME to USER\` as its owner, or make the user the owner of the schema.`
    found.push(problem('database', phrase`its user may not ${missingRights.join(' and ')}`, hint))
  }
  if (tables !== undefined) found.push(...tableFindings(tables))
  if (isPooled) {
    const what = phrase`a pooler gives each transaction another connection, so that the lock of the gateway is lost`
    found.push(
      problem(
        'database',
        what,
        phrase`Name the address of the server itself, or set the pooler to pool_mode = session.`,
      ),
    )
  }
  if (!isPrivate) {
    const hint = phrase`Set "tls": "verified" of \`store\`, unless the network is yours alone.`
    found.push(warning('database', phrase`what is sent to it is not encrypted`, hint))
  }
  return found
}

function tableFindings({ least, newest, known }: NonNullable<DatabaseFacts['tables']>): readonly Finding[] {
  if (least > known) {
    const what = phrase`its tables need version ${least}, and this Foreword knows ${known}`
    return [problem('database', what, phrase`Update Foreword, or name another database.`)]
  }
  if (newest === known) return []
  const what =
    newest > known
      ? phrase`a newer Foreword has added to its tables (version ${newest}), and this one works with them (${known})`
      : phrase`its tables have version ${newest}: the next gateway that starts adds what version ${known} has`
  return [ok('database', what)]
}
