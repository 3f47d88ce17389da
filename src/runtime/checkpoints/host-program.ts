import { execFile } from 'node:child_process'
import { cleanEnvironment } from '../../tool.ts'
import type { Environment } from '../../model.ts'

interface ProgramOptions {
  readonly environment: Environment
  readonly variables?: Readonly<Record<string, string>>
  readonly input?: string
  readonly signal?: AbortSignal
}

/** The most that a program may print, bytes: many years of checkpoints. */
const MOST_BYTES = 256 * 1024 * 1024

/** How long a program of the host may run, ms. */
const TIMEOUT_MS = 30_000

/** Runs a program of the host without a shell and returns what it printed. Rejects with the last line of its errors. */
export function runHostProgram(
  program: string,
  words: readonly string[],
  { environment, variables, input, signal }: ProgramOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      env: { ...cleanEnvironment(environment, variables) },
      maxBuffer: MOST_BYTES,
      timeout: TIMEOUT_MS,
      ...(signal ? { signal } : {}),
    }
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      const said = stderr.trim().split('\n').at(-1)
      const missing = error.code === 'ENOENT' ? `the program ${program} is not installed` : error.message
      reject(new Error(said ? `${program}: ${said}` : missing, { cause: error }))
    })
    // A program that does not start or that ends early reads no input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
