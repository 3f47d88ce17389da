import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunPlan } from '../program/wrapped-program.ts'

/** The temporary files of one run. */
export interface RunFiles {
  /** A private folder. */
  readonly folder: string
  /** Writes files into it that only the owner can read. */
  write(files: NonNullable<RunPlan['files']>): void
  /** Removes everything. Also called when this process exits. */
  remove(): void
}

const NAME = /^foreword-wrap-(\d+)\b/

/**
 * The name of the folder has the number of this process, by which a later run finds what a killed one left. Removes the folders of
 * runs that were killed.
 */
export function openRunFiles(): RunFiles {
  removeLeft(tmpdir())
  const folder = mkdtempSync(join(tmpdir(), `foreword-wrap-${process.pid}-`))
  function remove(): void {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', remove)
  return {
    folder,
    write(files) {
      for (const { path, text } of files) writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
    },
    remove,
  }
}

/** What runs left in a folder that were killed. */
function removeLeft(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = NAME.exec(name)?.[1]
    if (pid === undefined || Number(pid) === process.pid || isAlive(Number(pid))) continue
    try {
      rmSync(join(place, name), { recursive: true, force: true })
    } catch {
      // Of another user.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
