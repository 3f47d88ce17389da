import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { isAbsolute } from 'node:path'
import { type Clock, leaveProcessorToOthers, noteToolProgram, RUN_MARK, withoutInherited } from '../../platform.ts'
import { newMark, processTree } from './process-tree.ts'
import { collectOutput, type Program, type ProgramEnd, type ProgramLimits } from './program.ts'

type End = ProgramEnd['end']

const MOST_PROCESSES = 256

/** First look at how many processes there are, ms: most programs are done by then. */
const FIRST_LOOK = 50

/** Between two later ones, ms. */
const NEXT_LOOK = 150

/** The time that outputs are waited for once the program is gone, ms. */
const LAST_WORDS = 200

/** The same after everything that the run left behind was killed, ms: only a process that escaped can still keep them open. */
const LAST_BYTES = 1000

/**
 * Runs a program to its end, or to the end of its limits. Never throws. Afterwards nothing of it is left: not what ignores
 * SIGTERM, not what left its process group, and not what a program that ended by itself had sent into the background.
 * `home` is the folder of the home that it runs for: where this process is killed, the next one of that home ends the program.
 */
export async function runProgram(
  clock: Clock,
  program: Program,
  limits: ProgramLimits,
  home?: string,
): Promise<ProgramEnd> {
  const started = clock.monotonic()
  const stdout = collectOutput(limits.maxOutputChars)
  const stderr = collectOutput(limits.maxOutputChars)
  const ended = (end: End): ProgramEnd => ({
    end,
    stdout: stdout.end(),
    stderr: stderr.end(),
    durationMs: Math.round(clock.monotonic() - started),
  })
  if (limits.signal?.aborted) return ended({ type: 'cancelled' })
  const mark = newMark(home)
  const child = start(program, mark)
  if (typeof child === 'string') return ended({ type: 'not-started', why: child })
  const closed = once(child, 'close').catch(() => {})
  child.stdout?.on('data', stdout.add)
  child.stderr?.on('data', stderr.add)
  child.stdin?.on('error', () => {}) // It need not read what it is given.
  child.stdin?.end(program.input)
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [unknown]
    return ended({ type: 'not-started', why: reasonNotStarted(program, error) })
  }
  child.on('error', () => {})

  const forget = noteToolProgram(child.pid)
  const tree = processTree(clock, child.pid, mark)
  const end = await waitForEnd(clock, child, limits, tree.count)
  if (end.type === 'exit' || end.type === 'signal') await Promise.race([closed, clock.sleep(LAST_WORDS)])
  await tree.kill()
  forget()
  await Promise.race([closed, clock.sleep(LAST_BYTES)])
  child.stdout?.destroy()
  child.stderr?.destroy()
  return ended(end)
}

/** A program that was started, or was at least tried; or why that makes no sense. */
function start(program: Program, mark: string): ChildProcess | string {
  const fault = unusable(program)
  if (fault !== undefined) return fault
  const { argv, folder, environment, input } = program
  try {
    const child = spawn(argv[0]!, argv.slice(1), {
      cwd: folder,
      env: { ...environment, [RUN_MARK]: mark },
      stdio: withoutInherited([input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']),
      // Leader of a session and a group of its own: one signal reaches them all.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    if (child.pid !== undefined) comeLast(child.pid)
    return child
  } catch (error) {
    return reasonNotStarted(program, error)
  }
}

/** It is the leader of a session: where the system shares the processor out by session, the session counts. */
function comeLast(pid: number): void {
  leaveProcessorToOthers(pid)
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // The system knows no such groups.
  }
}

/** The first of: it ends, its time is over, it is cancelled, it multiplies, it writes too much. */
async function waitForEnd(
  clock: Clock,
  child: ChildProcess,
  limits: ProgramLimits,
  count: () => Promise<number>,
): Promise<End> {
  const { timeoutMs, maxProcesses = MOST_PROCESSES, signal, disk } = limits
  const { promise, resolve } = Promise.withResolvers<End>()
  const onExit = (code: number | null, name: string | null) =>
    resolve(code === null ? { type: 'signal', signal: name ?? 'SIGKILL' } : { type: 'exit', code })
  const onAbort = () => resolve({ type: 'cancelled' })
  let hasEnded = false
  const lookOnce = async (): Promise<void> => {
    if ((await count()) > maxProcesses) resolve({ type: 'too-many-processes', limit: maxProcesses })
    else if (!hasEnded) stopLooking = clock.timer(NEXT_LOOK, look)
  }
  const look = () => void lookOnce()
  /** In a large folder a look takes long: a fifth of the time at most is spent on it. */
  const watchDisk = async (): Promise<void> => {
    const began = clock.monotonic()
    if (await disk!.outgrows()) resolve({ type: 'too-much-disk', limit: disk!.maxBytes })
    else if (!hasEnded)
      stopWatching = clock.timer(Math.max(NEXT_LOOK, 4 * (clock.monotonic() - began)), () => void watchDisk())
  }
  const stopTimer = clock.timer(timeoutMs, () => resolve({ type: 'timeout' }))
  let stopLooking = clock.timer(FIRST_LOOK, look)
  let stopWatching = disk && clock.timer(FIRST_LOOK, () => void watchDisk())
  child.once('exit', onExit)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await promise
  } finally {
    hasEnded = true
    stopTimer()
    stopLooking()
    stopWatching?.()
    child.off('exit', onExit)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Why a program cannot even be tried, or `undefined`. Never repeats a value of the environment: it may be a secret. */
function unusable({ argv, folder, environment }: Program): string | undefined {
  if (argv.length === 0 || argv[0] === '') return 'there is no program to start: its name is empty'
  if (argv.some(hasNull)) return 'a program or an argument holds a NUL byte, which no program can be given'
  if (hasNull(folder)) return 'the folder to run in holds a NUL byte, which no path can'
  if (!isAbsolute(folder)) return `the folder to run in has to be an absolute path, not ${folder}`
  const broken = Object.entries(environment).find(([name, value]) => hasNull(name) || hasNull(value))
  if (broken !== undefined) return `the variable ${broken[0].replaceAll('\0', '?')} holds a NUL byte`
  return undefined
}

/** What the system's refusal to start a program means. */
function reasonNotStarted({ argv, folder }: Program, error: unknown): string {
  const name = argv[0]!
  // The system reports a missing folder and a missing program with the same error.
  const folderFault = faultOfFolder(folder)
  if (folderFault !== undefined) return folderFault
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
      return name.includes('/')
        ? `${name}: there is no such program, or what it needs to run is missing`
        : `${name}: there is no such program on the PATH`
    case 'EACCES':
    case 'EPERM':
      return `${name}: it may not be run (it is not executable, or permissions forbid it)`
    case 'E2BIG':
      return `${name}: its arguments and environment are longer than the system takes`
    case 'EAGAIN':
    case 'ENOMEM':
      return `${name}: the system has no room for another process now`
    default:
      return `${name}: it could not be started (${code ?? message})`
  }
}

function faultOfFolder(folder: string): string | undefined {
  try {
    return statSync(folder).isDirectory() ? undefined : `the folder to run in is no folder: ${folder}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return `the folder to run in does not exist: ${folder}`
    return `the folder to run in cannot be reached: ${folder} (${code})`
  }
}

function hasNull(text: string): boolean {
  return text.includes('\0')
}
