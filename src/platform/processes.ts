import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
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

/** As large as the environment of most processes. */
let space = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * What the system tells at a path below `/proc`, until the next call. A look at a busy system reads some thousand such files, whose
 * sizes nobody knows before: `readFileSync` would take 64 KiB of memory for each.
 */
function readFacts(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    let length = 0
    for (;;) {
      const read = readSync(file, space, length, space.length - length, null)
      length += read
      if (length < space.length) return space.subarray(0, length)
      space = Buffer.concat([space], 2 * space.length)
    }
  } finally {
    closeSync(file)
  }
}

/** All processes that this one can see. */
export function listProcesses(): readonly ProcessStatus[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStatus(Number(name)) ?? []) : []))
}

/** `undefined` where the process is gone. */
export function readStatus(pid: number): ProcessStatus | undefined {
  try {
    const text = readFacts(`/proc/${pid}/stat`).toString('latin1')
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
    return Buffer.from(readFacts(`/proc/${pid}/environ`))
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

/**
 * The `stdio` of a program that gets nothing of what was open in the program that started this one: a folder among it would be
 * a way out of every sandbox. Node keeps the first 16 descriptors to itself and hands the others on.
 */
export function withoutInherited<Stdio extends ('ignore' | 'pipe' | 'ipc')[] | []>(stdio: Stdio): Stdio {
  inherited ??= inheritedDescriptors()
  if (inherited.length === 0) return stdio
  const nothing = (blank ??= openSync('/dev/null', 'r+'))
  const others = Array.from({ length: Math.max(...inherited) + 1 }, (_, descriptor) =>
    inherited!.includes(descriptor) ? nothing : 'ignore',
  )
  return [...stdio, ...others.slice(stdio.length)] as unknown as Stdio
}

let inherited: readonly number[] | undefined
let blank: number | undefined

/** `O_CLOEXEC` of Linux. Node opens everything with it. */
const CLOSES_ON_EXEC = 0o2000000

/** Empty where the system does not list what is open. */
function inheritedDescriptors(): readonly number[] {
  try {
    const found = readdirSync('/proc/self/fdinfo').map(Number)
    return found.filter((each) => each > 2 && isHandedOn(each))
  } catch {
    return []
  }
}

function isHandedOn(descriptor: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s*(\d+)/m.exec(readFacts(`/proc/self/fdinfo/${descriptor}`).toString('latin1')) ?? []
    return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0
  } catch {
    // It was the folder that was just read.
    return false
  }
}

/** The file that runs as a thread or a program, given its source: a checkout runs that, the published package the compiled file. */
export function runnableFile(source: URL): URL {
  return import.meta.url.endsWith('.ts') ? source : new URL(source.href.replace(/\.ts$/, '.js'))
}
