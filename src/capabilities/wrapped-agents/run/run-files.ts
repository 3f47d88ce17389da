import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { RunPlan } from '../program/wrapped-program.ts'

const NAME = /^foreword-wrap-(\d+)\b/

/** Everything in it has a name with the number of this process, by which a later run finds what a killed one left. */
export function openRunFiles() {
  removeLeft(tmpdir())
  const folder = mkdtempSync(join(tmpdir(), `foreword-wrap-${process.pid}-`))
  const outside: string[] = []
  const made: string[] = []
  /** Removes everything. Also called when this process exits. */
  function remove(): void {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
    for (const path of outside.splice(0)) removeWithCopies(path)
    for (const path of made.splice(0))
      try {
        rmdirSync(path)
      } catch {
        // The program keeps something there.
      }
  }
  process.on('exit', remove)
  return {
    /** A private folder, which exists from the first file on. */
    folder,

    /** Removes files of killed runs first. Only the owner can read the files. */
    write(files: NonNullable<RunPlan['files']>): void {
      for (const { path, text } of files) {
        const place = dirname(path)
        const first = mkdirSync(place, { recursive: true, mode: 0o700 })
        if (first !== undefined) made.push(first)
        if (place !== folder) {
          removeLeft(place)
          outside.push(path)
        }
        writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
      }
    },
    remove,
  }
}

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

/** Copies that a program keeps of a file have its name and an ending. */
function removeWithCopies(path: string): void {
  const [place, name] = [dirname(path), basename(path)]
  for (const each of existsSync(place) ? readdirSync(place) : []) {
    if (each.startsWith(name)) rmSync(join(place, each), { recursive: true, force: true })
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
