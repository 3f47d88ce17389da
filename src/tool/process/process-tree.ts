import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** All processes of one run, wherever they went. */
interface ProcessTree {
  /** The number of processes, including zombies. 1 where the system has no `/proc`. */
  count(): number
  /** Kills all of them and resolves when none is left, or after some seconds: a kernel may delay the end of a process. */
  kill(): Promise<void>
}

/** The environment variable that marks the processes of a run. */
export const MARK = 'FOREWORD_RUN'

/** The most times that remaining processes are looked for. */
const MOST_LOOKS = 200

/** The most further looks while only a process without an environment is left. */
const MOST_UNSURE_LOOKS = 3

/**
 * The processes of the run that `leader` leads, as leader of a session of its own: everybody in that session, their
 * descendants, and any process that left them (`setsid`, a double fork) but still carries the run's `mark` in its environment
 * or writes to the run's outputs. Who was seen once stays known. So only a process escapes that sheds all of these before
 * anybody looks, which none does by accident. Systems without `/proc` know the leader's group alone.
 */
export function processTree(leader: number, mark: string): ProcessTree {
  const begun = process.platform === 'linux' ? readStatus(leader)?.begun : undefined
  const marked = Buffer.from(`${MARK}=${mark}`)
  const outputs = new Set(readOutputs(leader))
  const known = new Set<string>()
  const sessions = new Set([leader])

  function look(): Look {
    if (begun === undefined) return { members: [], unsure: false }
    const young = statuses().filter((status) => status.begun >= begun && !status.isKernel)
    const members = new Set(young.filter((status) => known.has(processKey(status)) || sessions.has(status.session)))
    const others = young.filter((status) => !members.has(status) && !status.isZombie)
    const environments = others.map(({ pid }) => readEnvironment(pid))
    others.forEach((status, index) => {
      const isOurs =
        environments[index]?.includes(marked) || readOutputs(status.pid).some((output) => outputs.has(output))
      if (isOurs) members.add(status)
    })
    addDescendants(members, young)
    for (const status of members) {
      known.add(processKey(status))
      sessions.add(status.session)
    }
    // A process that is just becoming another program has no environment for a moment.
    return { members: [...members], unsure: environments.some((environment) => environment?.length === 0) }
  }

  return {
    count: () => Math.max(1, look().members.length),
    async kill() {
      let unsureLooks = 0
      for (let looks = 0; looks < MOST_LOOKS; looks++) {
        signal(process.platform === 'win32' ? leader : -leader, 'SIGKILL')
        const { members, unsure } = look()
        const living = members.filter(({ isZombie }) => !isZombie)
        if (living.length === 0 && (!unsure || ++unsureLooks > MOST_UNSURE_LOOKS)) return
        // Stop them all first, so that none starts another; then kill them.
        for (const { pid } of living) signal(pid, 'SIGSTOP')
        for (const { pid } of living) signal(pid, 'SIGKILL')
        await wait(looks < 10 ? 3 : 25)
      }
    },
  }
}

interface Look {
  readonly members: readonly ProcessStatus[]
  /** At least one process could not be attributed. */
  readonly unsure: boolean
}

/** The system reuses process ids, so the birth belongs to the name. */
function processKey({ pid, begun }: ProcessStatus): string {
  return `${pid} ${begun}`
}

/** Children of children come to light one generation at a time. */
function addDescendants(members: Set<ProcessStatus>, all: readonly ProcessStatus[]): void {
  const pids = new Set([...members].map(({ pid }) => pid))
  const found = all.filter((status) => !members.has(status) && pids.has(status.parent))
  for (const status of found) members.add(status)
  if (found.length > 0) addDescendants(members, all)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone already, or not ours to end.
  }
}

/** The facts of a process under Linux's `/proc`. */
interface ProcessStatus {
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
function statuses(): readonly ProcessStatus[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStatus(Number(name)) ?? []) : []))
}

/** `undefined` where the process is gone. */
function readStatus(pid: number): ProcessStatus | undefined {
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
function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return undefined
  }
}

/** Pipes and sockets that a process writes to, by the name that the system has for them. */
function readOutputs(pid: number): readonly string[] {
  return [1, 2].flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      return /^(?:pipe|socket):/.test(target) ? [target] : []
    } catch {
      return []
    }
  })
}

/** A mark for one run. It begins with its owner: id and birth of this process. */
export function newMark(): string {
  const begun = process.platform === 'linux' ? readStatus(process.pid)?.begun : undefined
  return `${process.pid}.${begun ?? 0}.${randomUUID()}`
}

/**
 * Kills the programs that another process left behind when it was killed: they carry its mark, and it is gone. Returns
 * their number; always 0 where the system has no `/proc`.
 */
export function endOrphans(): number {
  if (process.platform !== 'linux') return 0
  const all = statuses().filter(({ isKernel, isZombie }) => !isKernel && !isZombie)
  const alive = new Set(all.map(processName))
  const orphans = all.filter(({ pid }) => {
    const owner = findOwner(readEnvironment(pid))
    return owner !== undefined && !alive.has(owner)
  })
  for (const { pid } of orphans) signal(pid, 'SIGSTOP')
  for (const { pid } of orphans) signal(pid, 'SIGKILL')
  return orphans.length
}

function processName({ pid, begun }: ProcessStatus): string {
  return `${pid}.${begun}`
}

/** The owner of the run whose mark an environment carries. */
function findOwner(environment: Buffer | undefined): string | undefined {
  if (!environment?.includes(`${MARK}=`)) return undefined
  const [, owner] = new RegExp(`(?:^|\0)${MARK}=(\\d+\\.\\d+)\\.`).exec(environment.toString('latin1')) ?? []
  return owner
}
