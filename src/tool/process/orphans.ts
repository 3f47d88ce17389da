import { randomUUID } from 'node:crypto'
import { environmentOf, type ProcessStatus, statuses, statusOf } from './process-status.ts'
import { MARK } from './process-tree.ts'

/** A mark for one run, in which stands who began it: number and birth of this process. */
export function newMark(): string {
  const begun = process.platform === 'linux' ? statusOf(process.pid)?.begun : undefined
  return `${process.pid}.${begun ?? 0}.${randomUUID()}`
}

/**
 * Ends the programs that a process left behind because it was killed itself: they carry its mark, and it is gone. Answers
 * how many there were. Where the system has no `/proc` nobody knows them.
 */
export function endOrphans(): number {
  if (process.platform !== 'linux') return 0
  const all = statuses().filter(({ isKernel, isZombie }) => !isKernel && !isZombie)
  const alive = new Set(all.map(nameOf))
  const orphans = all.filter(({ pid }) => {
    const owner = ownerOf(environmentOf(pid))
    return owner !== undefined && !alive.has(owner)
  })
  for (const { pid } of orphans) end(pid, 'SIGSTOP')
  for (const { pid } of orphans) end(pid, 'SIGKILL')
  return orphans.length
}

function nameOf({ pid, begun }: ProcessStatus): string {
  return `${pid}.${begun}`
}

/** Who began the run that an environment carries the mark of. */
function ownerOf(environment: Buffer | undefined): string | undefined {
  if (!environment?.includes(`${MARK}=`)) return undefined
  const [, owner] = new RegExp(`(?:^|\0)${MARK}=(\\d+\\.\\d+)\\.`).exec(environment.toString('latin1')) ?? []
  return owner
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone already, or not ours to end.
  }
}
