import type { RunPlan, WrappedRun } from '../program/wrapped-program.ts'
import {
  readdirSync,
  readFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, basename, dirname } from 'node:path'
import type { Io } from '../../../capability.ts'
import { defined, isWithin } from '../../../platform.ts'
import { tmpdir } from 'node:os'

/** Hosts of this machine, which no proxy stands before. */
const LOCAL = ['127.0.0.1', 'localhost', '::1']

/** Variables of every program: calls to this machine use no proxy, and the token of the owner, which may do all, stays behind. */
export function commonVariables(
  environment: Readonly<Record<string, string | undefined>>,
  run: string,
): RunPlan['variables'] {
  const given = environment['NO_PROXY'] ?? environment['no_proxy'] ?? ''
  const hosts = given
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '')
  const all = [...new Set([...hosts, ...LOCAL])].join(',')
  return { NO_PROXY: all, no_proxy: all, [RUN_VARIABLE]: run, FOREWORD_GATEWAY_TOKEN: undefined }
}

export function runEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  variables: RunPlan['variables'],
): Readonly<Record<string, string | undefined>> {
  const all = { ...environment, ...variables }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

const RUN_VARIABLE = 'FOREWORD_WRAP'

/** Processes of a run that are still there, by command line. Empty where `/proc` does not show their environment. */
export function backgroundProcesses(run: string, command: RegExp) {
  return processNumbers().flatMap((pid) => {
    const isOfRun = read(pid, 'environ').split('\0').includes(`${RUN_VARIABLE}=${run}`)
    const line = isOfRun ? read(pid, 'cmdline').split('\0').join(' ').trim() : ''
    return line !== '' && command.test(line) ? [{ pid, command: line }] : []
  })
}

function processNumbers(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid)
  } catch {
    return []
  }
}

/** Empty for a process that has ended, or of another user. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(join('/proc', String(pid), file), 'utf8')
  } catch {
    return ''
  }
}

export type RunChoices = Pick<WrappedRun, 'provider' | 'model' | 'gatewayKey' | 'assemble' | 'args'>

export function runFacts(
  { provider, model, gatewayKey, assemble, args }: RunChoices,
  io: Io,
): Omit<WrappedRun, 'address' | 'token' | 'folder'> {
  return {
    id: `foreword-wrap-${process.pid}`,
    ...defined({ provider, model }),
    gatewayKey,
    assemble,
    args,
    environment: io.environment,
    directory: process.cwd(),
    readText,
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const NAME = /^foreword-wrap-(\d+)\b/

/** Everything in it has a name with the number of this process, by which a later run finds what a killed one left. */
export function openRunFiles() {
  removeLeft(tmpdir())
  const folder = mkdtempSync(join(tmpdir(), `foreword-wrap-${process.pid}-`))
  const outside: string[] = []
  /** Folders that were made for them, the inner ones first. */
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
        if (first !== undefined) for (let each = place; isWithin(first, each); each = dirname(each)) made.push(each)
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
      // In a folder of another user, he could put links in the way of what removes it.
      if (lstatSync(join(place, name)).uid === (process.getuid?.() ?? 0)) rmSync(join(place, name), { recursive: true })
    } catch {
      // Another run has removed it.
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
