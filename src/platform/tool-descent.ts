import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import {
  addDescendants,
  listProcesses,
  type ProcessStatus,
  readEnvironment,
  readStatus,
  RUN_MARK,
} from './processes.ts'

/**
 * Whether a tool started this process or one of those that it comes from, also where it removed the marks from its own
 * environment. `false` where the system has no `/proc`, and for a process that left its ancestors on purpose.
 */
export function comesFromTool(pid: number): boolean {
  if (process.platform !== 'linux') return false
  const seen = new Set<number>()
  for (let next = readStatus(pid); next && next.pid > 1 && !seen.has(next.pid); next = readStatus(next.parent)) {
    if (isMarked(next.pid)) return true
    seen.add(next.pid)
  }
  return false
}

/**
 * Whether a process that a tool started holds the other end of a connection to this machine. `local` and `remote`: the ports as
 * this process sees them.
 */
export function isConnectionOfTool({ local, remote }: { readonly local: number; readonly remote: number }): boolean {
  if (process.platform !== 'linux') return false
  const ofTools = toolProcesses()
  if (ofTools.length === 0) return false
  const sockets = new Set(otherEnds(local, remote))
  return sockets.size > 0 && ofTools.some(({ pid }) => openSockets(pid).some((socket) => sockets.has(socket)))
}

/** Programs that tools started and that have not ended, each as the leader of a session of its own. */
const running = new Set<number>()

/** Remembers a program that a tool started, whatever it does to its environment. Returns what forgets it once it has ended. */
export function noteToolProgram(pid: number): () => void {
  running.add(pid)
  return () => void running.delete(pid)
}

function toolProcesses(): readonly ProcessStatus[] {
  const all = listProcesses().filter(({ isKernel, isZombie }) => !isKernel && !isZombie)
  const isRunning = ({ pid, session }: ProcessStatus) => running.has(pid) || running.has(session)
  const members = new Set(all.filter((one) => one.pid !== process.pid && (isRunning(one) || isMarked(one.pid))))
  addDescendants(members, all)
  return [...members].filter(({ pid }) => pid !== process.pid)
}

const MARKS = new RegExp(`(?:^|\0)(?:${RUN_MARK}=|FOREWORD_TOOL=1(?:\0|$))`)

function isMarked(pid: number): boolean {
  return MARKS.test(readEnvironment(pid)?.toString('latin1') ?? '')
}

/** The names of the sockets at the other end, such as `socket:[1234]`. */
function otherEnds(local: number, remote: number): readonly string[] {
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    readLines(table).flatMap((line) => {
      const [, own = '', other = '', , , , , , , inode = '0'] = line.trim().split(/\s+/)
      return portOf(own) === remote && portOf(other) === local && inode !== '0' ? [`socket:[${inode}]`] : []
    }),
  )
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'latin1').split('\n').slice(1)
  } catch {
    return []
  }
}

function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16)
}

function openSockets(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}
