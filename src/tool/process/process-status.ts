import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What Linux tells of a process under `/proc`. */
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
export function statuses(): readonly ProcessStatus[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statusOf(Number(name)) ?? []) : []))
}

/** `undefined` where the process is gone. */
export function statusOf(pid: number): ProcessStatus | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name stands in parentheses and may hold anything, parentheses too.
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
export function environmentOf(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return undefined
  }
}

/** Pipes and sockets that a process writes to, by the name that the system has for them. */
export function outputsOf(pid: number): readonly string[] {
  return [1, 2].flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      return /^(?:pipe|socket):/.test(target) ? [target] : []
    } catch {
      return []
    }
  })
}
