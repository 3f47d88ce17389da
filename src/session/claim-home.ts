import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf, isFileLocked, lockFile, parseJson, type ReadMounts, remoteFileSystem } from '../platform.ts'
import { storeError, StoreError } from './store-error.ts'

/** The process that holds a home. */
export interface ClaimInfo {
  readonly pid: number
  /** The address of the gateway, such as `http://127.0.0.1:4141`. Absent until it listens. */
  readonly address?: string
  /** ISO 8601. */
  readonly started: string
}

/** The right to be the only gateway of a home. The operating system ends it with the process, `kill -9` included. */
export type Claim = Awaited<ReturnType<typeof claimHome>>

export interface ClaimOptions {
  /** `FOREWORD_NETWORK_HOME=1` claims a home on a network file system nevertheless. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Those of this machine where absent. */
  readonly readMounts?: ReadMounts | undefined
}

const NETWORK_HOME = 'FOREWORD_NETWORK_HOME'

/** Why a home is not safe where it is, in a sentence; `undefined` on a disk of this machine. */
export function networkFault(directory: string, readMounts?: ReadMounts): string | undefined {
  const remote = remoteFileSystem(directory, readMounts)
  if (remote?.kind !== 'network') return undefined
  return `The home ${directory} is on a network file system (${remote.type}), where SQLite can lose what was written: its locks and its shared memory do not reach other machines.`
}

/** How long a claim waits for readers of the lock, ms. */
const WAIT_MS = 250
const LOCK = 'gateway.lock'
const INFO = 'gateway.json'

/**
 * Claims a home for this process. The lock is a transaction on `gateway.lock`; `gateway.json` beside it is for people and
 * for the command line, and may be stale after a crash.
 *
 * @throws StoreError `claimed`, which names the process that holds the home, `network-home`, `io`, `readonly`
 */
export async function claimHome(
  directory: string,
  info: ClaimInfo,
  { environment = {}, readMounts }: ClaimOptions = {},
) {
  const remote = networkFault(directory, readMounts)
  const isAllowed = environment[NETWORK_HOME] === '1'
  if (remote !== undefined && !isAllowed) {
    throw new StoreError('network-home', remote, {
      hint: `Move the home to a disk of this machine, or set ${NETWORK_HOME}=1 if no other machine ever opens it.`,
    })
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lock = withStoreErrors(directory, () => lockFile(join(directory, LOCK), { waitMs: WAIT_MS }))
  if (lock === undefined) throw claimedError(directory)
  try {
    withStoreErrors(directory, () => writeInfo(directory, info))
  } catch (error) {
    lock.release()
    throw error
  }
  let held = true
  return {
    /** What is wrong with the home, where it was claimed nevertheless. */
    warning: remote,
    update: (next: ClaimInfo) => writeInfo(directory, next),
    release() {
      if (!held) return
      held = false
      rmSync(join(directory, INFO), { force: true })
      lock.release()
    },
  }
}

/** The process that holds this home now; `undefined` when none does, even where a stale `gateway.json` names one. */
export function readClaim(directory: string): ClaimInfo | undefined {
  return withStoreErrors(directory, () => isFileLocked(join(directory, LOCK))) ? readInfo(directory) : undefined
}

function withStoreErrors<Result>(directory: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw storeError(error, directory)
  }
}

function claimedError(directory: string): StoreError {
  const info = readInfo(directory)
  const who = info ? `process ${info.pid}${info.address ? ` at ${info.address}` : ''}` : 'a gateway that is starting'
  return new StoreError('claimed', `The home ${directory} is already used by ${who}.`, {
    hint: 'Stop that gateway first, or choose another home with FOREWORD_HOME.',
  })
}

/** `undefined` where the file is missing, or is not what `writeInfo` writes. */
function readInfo(directory: string): ClaimInfo | undefined {
  try {
    const { pid, address, started } = fieldsOf(parseJson(readFileSync(join(directory, INFO), 'utf8')))
    if (!Number.isSafeInteger(pid) || typeof started !== 'string') return undefined
    if (address === undefined) return { pid: pid as number, started }
    return typeof address === 'string' ? { pid: pid as number, started, address } : undefined
  } catch {
    return undefined
  }
}

/** A reader finds the old text or the new one, never half of one. */
function writeInfo(directory: string, info: ClaimInfo): void {
  const path = join(directory, INFO)
  const next = `${path}.next`
  writeFileSync(next, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(next, path)
}
