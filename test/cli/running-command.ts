import { PassThrough } from 'node:stream'
import type { TestContext } from 'node:test'
import { main } from '../../src/cli/main.ts'
import { overview } from '../../src/foreword/overview.ts'

/** A command that goes on, in the process of the test, with streams such as a process has. */
export interface RunningCommand {
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly stderr: () => string
  /** Its exit code. */
  readonly ended: Promise<number>
}

/** Starts a command. Its input ends with the test, and a gateway is interrupted then. For kills and signals it needs a process of its own. */
export function startCommand(
  context: TestContext,
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
): RunningCommand {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  let errors = ''
  let interrupt: (() => void) | undefined
  stderr.on('data', (piece: Buffer) => (errors += piece.toString()))
  const ended = main(argv, {
    stdin,
    stdout,
    stderr,
    overview,
    environment: { PATH: process.env['PATH'] ?? '', HOME: '/nowhere', ...environment },
    onInterrupt: (listener) => {
      interrupt = listener
      return () => (interrupt = undefined)
    },
    exit: () => {},
  }).finally(() => stdout.end())
  context.after(async () => {
    stdin.end()
    if (argv[0] === 'start') interrupt?.()
    await ended
  })
  return { stdin, stdout, stderr: () => errors, ended }
}
