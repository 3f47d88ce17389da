import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PREPARING } from './home-files.ts'

/** Name of the archive while it is being written, beside `file`. */
export function partialName(file: string, pid: number): string {
  return `${file}.${pid}.partial`
}

/** Beginning of the name of the folder in `data/` in which this process prepares an archive. */
export function preparingPrefix(pid: number): string {
  return `${PREPARING}${pid}-`
}

/** Removes what backups that were killed have left of archives of this name. */
export function removePartials(folder: string, name: string): Promise<void> {
  return removeLeftovers(folder, (each) =>
    each.startsWith(`${name}.`) ? /^(\d+)\.partial$/.exec(each.slice(name.length + 1))?.[1] : undefined,
  )
}

/** Removes folders in `data/` in which backups that were killed have prepared archives. */
export function removePreparing(data: string): Promise<void> {
  return removeLeftovers(data, (each) =>
    each.startsWith(PREPARING) ? /^(\d+)-/.exec(each.slice(PREPARING.length))?.[1] : undefined,
  )
}

/** A process in another container has an id that means nothing here, so what was touched of late stays in any case. */
const UNTOUCHED_MS = 60 * 60 * 1000

async function removeLeftovers(folder: string, pidIn: (name: string) => string | undefined): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = pidIn(name)
    if (pid === undefined || isRunning(Number(pid))) continue
    const facts = await stat(join(folder, name)).catch(() => undefined)
    if (facts === undefined || Date.now() - facts.mtimeMs < UNTOUCHED_MS) continue
    await rm(join(folder, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
