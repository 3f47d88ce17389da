import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A process that a run left behind. */
interface BackgroundProcess {
  readonly pid: number
  readonly command: string
}

/** Marks every process of a run in its environment. */
export const RUN_VARIABLE = 'FOREWORD_WRAP'

/**
 * Processes of a run that are still there and whose command line matches. Empty where the environment of processes is
 * not shown as files, as Linux does.
 */
export function backgroundProcesses(run: string, command: RegExp, proc = '/proc'): readonly BackgroundProcess[] {
  return numbersIn(proc).flatMap((pid) => {
    const isOfRun = read(proc, pid, 'environ').split('\0').includes(`${RUN_VARIABLE}=${run}`)
    const line = isOfRun ? read(proc, pid, 'cmdline').split('\0').join(' ').trim() : ''
    return line !== '' && command.test(line) ? [{ pid, command: line }] : []
  })
}

function numbersIn(proc: string): readonly number[] {
  try {
    return readdirSync(proc)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid)
  } catch {
    return []
  }
}

/** Empty for a process that has ended, or of another user. */
function read(proc: string, pid: number, file: string): string {
  try {
    return readFileSync(join(proc, String(pid), file), 'utf8')
  } catch {
    return ''
  }
}
