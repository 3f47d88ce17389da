import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { foreword, memoryFlags, startEnvironment } from '../kit/started-program.ts'

export interface Spawned {
  readonly child: ChildProcess
  readonly pid: number
  /** Resolves with the first line of the output that matches, printed before it was asked for or after. */
  readonly line: (pattern: RegExp) => Promise<string>
  /** Everything that was written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>
}

/** Runs the real program in a process of its own, which does not outlive the test. */
export function spawnForeword(
  context: TestContext,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Spawned {
  const child = spawn(process.execPath, [...memoryFlags, foreword, ...args], {
    env: { PATH: process.env.PATH, ...startEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const printed: string[] = []
  const lines = createInterface({ input: child.stdout }).on('line', (line) => printed.push(line))
  const closed = once(lines, 'close')
  const ended = once(child, 'close').then(([code]) => code as number | null)
  context.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    pid: child.pid!,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (line: string): void => {
          if (pattern.test(line)) resolve(line)
        }
        printed.forEach(look)
        lines.on('line', look)
        void closed.then(() => reject(new Error(`it ended without a line like ${pattern}:\n${stdout}${stderr}`)))
      }),
  }
}
