import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Item } from './items.ts'
import { isFailed, type TestResult } from './reporter.ts'

export interface Outcome {
  readonly results: readonly TestResult[]
  /** Everything that was printed. */
  readonly output: string
  readonly seconds: number
  /** Of its processes that have ended; `undefined` where the system does not tell. */
  readonly cpuSeconds: number | undefined
}

/** Many times what the longest item takes. A process that a test holds open beyond its own limit is lost no longer than this. */
const LIMIT_MS = 15 * 60_000
/** Of one test, likewise. */
const TEST_LIMIT_MS = 300_000
/** How long a process may take to clear up after it was told to end. */
const CLEAR_UP_MS = 3_000

/** What V8 is given for a process of tests, and for the programs that it starts. */
export const memoryFlags = [
  // As many processes as processors run already, so that a collector of garbage with threads of its own only waits for them.
  '--single-threaded-gc',
  // Without a first size of the old space each process goes through its heap some ten times while it loads the modules.
  '--initial-old-space-size=512',
  '--max-semi-space-size=16',
]

const running = new Set<ChildProcess>()

/** Runs an item in a process group of its own, of which nothing outlives it. */
export async function runItem(item: Item, root: string, environment: NodeJS.ProcessEnv): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-check-'))
  const resultsFile = join(folder, 'results')
  const started = performance.now()
  const { program, words } = item.work.type === 'tests' ? testCommand(item.work.files, resultsFile) : item.work
  const child = spawn(program, words, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => (output += piece))
  const limit = setTimeout(() => {
    output += `\nstopped, since it ran for more than ${LIMIT_MS / 60_000} minutes\n`
    endGroup(child, 'SIGKILL')
  }, LIMIT_MS)
  let cpuSeconds: number | undefined
  const end = await new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', () => {
      cpuSeconds = newCpuSeconds()
      // What a test has left running would hold the output open.
      endGroup(child, 'SIGKILL')
    })
    child.on('close', (code, signal) => resolve(code === 0 ? '' : `ended with ${signal ?? `exit code ${code}`}`))
  })
  clearTimeout(limit)
  running.delete(child)
  const results = item.work.type === 'tests' ? resultsIn(resultsFile) : []
  rmSync(folder, { recursive: true })
  return {
    results: complete(item, results, end),
    output,
    seconds: (performance.now() - started) / 1000,
    cpuSeconds,
  }
}

/** Ends whatever runs: first politely, since tests that are interrupted clear up. */
export async function endAll(): Promise<void> {
  const all = [...running]
  for (const child of all) endGroup(child, 'SIGINT')
  const ended = Promise.all(all.map((child) => new Promise((resolve) => child.on('close', resolve))))
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLEAR_UP_MS))])
  for (const child of all) endGroup(child, 'SIGKILL')
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It has ended.
  }
}

function testCommand(files: readonly string[], resultsFile: string) {
  const start = files.length === 1 ? files : ['scripts/checks/run-files.ts', ...files]
  const words = [
    '--conditions=foreword-source',
    ...memoryFlags,
    '--import=./scripts/checks/lighter-runner.mjs',
    `--test-timeout=${TEST_LIMIT_MS}`,
    '--test-reporter=./scripts/checks/reporter.ts',
    `--test-reporter-destination=${resultsFile}`,
    ...start,
  ]
  return { program: process.execPath, words }
}

function resultsIn(file: string): readonly TestResult[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  // A process that was killed may have left half a line.
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TestResult)
}

/** With a failure of the process as a whole where no test has failed, and of a file without a test. */
function complete({ name, work }: Item, results: readonly TestResult[], end: string): readonly TestResult[] {
  const whole = (result: 'passed' | 'failed', text: string) => [{ result, name, file: undefined, ms: 0, text }]
  if (end !== '') return results.some(isFailed) ? results : [...results, ...whole('failed', end)]
  if (work.type === 'command') return whole('passed', '')
  return results.length > 0 ? results : whole('failed', 'no test has run')
}

/**
 * The processor time of the processes of this one that have ended, with all that they waited for, since the last call. It is
 * asked for as each process ends, so it is the time of that process.
 */
function newCpuSeconds(): number | undefined {
  const before = ended
  ended = endedCpuSeconds()
  return ended === undefined || before === undefined ? undefined : ended - before
}

/** Of all that have ended so far. `undefined` where the system does not tell. */
export function endedCpuSeconds(): number | undefined {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS
  } catch {
    return undefined
  }
}

/** In which Linux counts them, per second. */
const TICKS = 100

let ended = endedCpuSeconds()
