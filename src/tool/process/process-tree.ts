import { createHash, randomUUID } from 'node:crypto'
import { readlinkSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type Clock,
  addDescendants,
  inSlices,
  listProcesses,
  type ProcessStatus,
  readEnvironment,
  readStatus,
  RUN_MARK,
} from '../../platform.ts'

const MOST_LOOKS = 200

/** The most further looks while only a process without an environment is left. */
const MOST_UNSURE_LOOKS = 12

/**
 * The processes of the run that `leader` leads, as leader of a session of its own: everybody in that session, their
 * descendants, and any process that left them (`setsid`, a double fork) but still carries the run's `mark` in its environment
 * or writes to the run's outputs. Who was seen once stays known. So only a process escapes that sheds all of these before
 * anybody looks, which none does by accident. Systems without `/proc` know the leader's group alone.
 */
export function processTree(clock: Clock, leader: number, mark: string) {
  const begun = process.platform === 'linux' ? readStatus(leader)?.begun : undefined
  const marked = Buffer.from(`${RUN_MARK}=${mark}`)
  const outputs = new Set(readOutputs(leader))
  const known = new Set<string>()
  const sessions = new Set([leader])

  /** `unsure`: at least one process could not be attributed. A program that multiplies makes the list long, and keeps the system busy. */
  async function look(): Promise<{ readonly members: readonly ProcessStatus[]; readonly unsure: boolean }> {
    if (begun === undefined) return { members: [], unsure: false }
    const young: ProcessStatus[] = []
    await inSlices(clock, await readdir('/proc').catch(() => []), (name) => {
      const status = /^\d+$/.test(name) ? readStatus(Number(name)) : undefined
      if (status && status.begun >= begun && !status.isKernel) young.push(status)
    })
    const members = new Set(young.filter((status) => known.has(processName(status)) || sessions.has(status.session)))
    // Of descendants nothing else has to be read, so a program that multiplies fast takes less time to look at.
    addDescendants(members, young)
    const others = young.filter((status) => !members.has(status) && !status.isZombie)
    let unsure = false
    await inSlices(clock, others, (status) => {
      const environment = readEnvironment(status.pid)
      // A process that is just becoming another program has no environment for a moment.
      unsure ||= environment?.length === 0
      if (environment?.includes(marked) || readOutputs(status.pid).some((output) => outputs.has(output))) {
        members.add(status)
      }
    })
    addDescendants(members, young)
    for (const status of members) {
      known.add(processName(status))
      sessions.add(status.session)
    }
    return { members: [...members], unsure }
  }

  return {
    /** The number of processes, including zombies. 1 where the system has no `/proc`. */
    count: async (): Promise<number> => Math.max(1, (await look()).members.length),
    /** Kills all of them and resolves when none is left, or after some seconds: a kernel may delay the end of a process. */
    async kill(): Promise<void> {
      let unsureLooks = 0
      for (let looks = 0; looks < MOST_LOOKS; looks++) {
        signal(process.platform === 'win32' ? leader : -leader, 'SIGKILL')
        const { members, unsure } = await look()
        const living = members.filter(({ isZombie }) => !isZombie)
        if (living.length === 0 && (!unsure || ++unsureLooks > MOST_UNSURE_LOOKS)) return
        // Stop them all first, so that none starts another; then kill them.
        for (const { pid } of living) signal(pid, 'SIGSTOP')
        for (const { pid } of living) signal(pid, 'SIGKILL')
        await clock.sleep(looks < 10 ? 3 : 25)
      }
    },
  }
}

/** The system reuses process ids, so the birth belongs to the name. */
function processName({ pid, begun }: ProcessStatus): string {
  return `${pid}.${begun}`
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone already, or not ours to end.
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

/** A mark for one run. It begins with the home that it is for, and its owner: id and birth of this process. */
export function newMark(home: string | undefined): string {
  const begun = process.platform === 'linux' ? readStatus(process.pid)?.begun : undefined
  return `${home === undefined ? 'none' : homeName(home)}.${process.pid}.${begun ?? 0}.${randomUUID()}`
}

/** A name for the folder of a home that says nothing about it: programs of tools can read it. */
function homeName(home: string): string {
  return createHash('sha256').update(realPath(home)).digest('hex').slice(0, 16)
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

/** Kills programs of this home that a killed process left behind, by their mark. Returns how many; 0 without `/proc`. */
export function endOrphans(home: string): number {
  if (process.platform !== 'linux') return 0
  const all = listProcesses().filter(({ isKernel, isZombie }) => !isKernel && !isZombie)
  const alive = new Set(all.map(processName))
  const mark = new RegExp(`(?:^|\0)${RUN_MARK}=${homeName(home)}\\.(\\d+\\.\\d+)\\.`)
  const orphans = all.filter(({ pid }) => {
    const [, owner] = mark.exec(readEnvironment(pid)?.toString('latin1') ?? '') ?? []
    return owner !== undefined && !alive.has(owner)
  })
  for (const { pid } of orphans) signal(pid, 'SIGSTOP')
  for (const { pid } of orphans) signal(pid, 'SIGKILL')
  return orphans.length
}
