import { readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** The environment variable that marks the processes of a run of a tool. */
export const RUN_MARK = 'FOREWORD_RUN'

/** The facts of a process under Linux's `/proc`. */
export interface ProcessStatus {
  readonly pid: number
  readonly parent: number
  readonly session: number
  readonly isZombie: boolean
  readonly isKernel: boolean
  /** Clock ticks since the system started. */
  readonly begun: number
}

/** Flag of a thread of the kernel. */
const KERNEL_THREAD = 0x0020_0000

/** All processes that this one can see. */
export function listProcesses(): readonly ProcessStatus[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStatus(Number(name)) ?? []) : []))
}

/** `undefined` where the process is gone. */
export function readStatus(pid: number): ProcessStatus | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name is in parentheses and may contain anything, parentheses too.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const state = fields[0]
    return {
      pid,
      parent: Number(fields[1]),
      session: Number(fields[3]),
      isZombie: state === 'Z' || state === 'X',
      isKernel: (Number(fields[6]) & KERNEL_THREAD) !== 0,
      begun: Number(fields[19]),
    }
  } catch {
    return undefined
  }
}

/** `undefined` where the process is gone or belongs to somebody else. */
export function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return undefined
  }
}

/** Adds the children of the members, and theirs: children of children come to light one generation at a time. */
export function addDescendants(members: Set<ProcessStatus>, all: readonly ProcessStatus[]): void {
  const pids = new Set([...members].map(({ pid }) => pid))
  const found = all.filter((status) => !members.has(status) && pids.has(status.parent))
  for (const status of found) members.add(status)
  if (found.length > 0) addDescendants(members, all)
}

/** Lets the gateway and the person's own programs come before a process and what it starts from now on. */
export function leaveProcessorToOthers(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or this process itself has a lower priority.
  }
}
