import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks of Linux are a hundredth of a second. */
const TICK_MS = 10

/** Processor time of a process and of all that it has started, ms, with those that have ended. */
export function processorTime(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? statOf(name) : []))
  const parents = new Map(all.map((each) => [each.pid, each.parent]))
  const isBelow = (each: number): boolean => each === pid || (parents.has(each) && isBelow(parents.get(each)!))
  return all.filter((each) => isBelow(each.pid)).reduce((sum, { ticks }) => sum + ticks, 0) * TICK_MS
}

function statOf(pid: string): readonly { readonly pid: number; readonly parent: number; readonly ticks: number }[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program is in parentheses, and may have some.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    // utime, stime, and the two of the children that have ended.
    return [{ pid: Number(pid), parent: fields[1]!, ticks: fields[11]! + fields[12]! + fields[13]! + fields[14]! }]
  } catch {
    return []
  }
}
