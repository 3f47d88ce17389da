import { PassThrough, Readable } from 'node:stream'
import type { Connection } from '../../src/cli/connection.ts'
import type { Io } from '../../src/cli/io.ts'
import { main } from '../../src/cli/main.ts'

export interface Recorded {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string | AsyncIterable<string>
  readonly environment?: Readonly<Record<string, string>>
  readonly terminal?: boolean
  readonly connection?: Connection
  readonly onInterrupt?: Io['onInterrupt']
  readonly exit?: Io['exit']
}

/** Runs a command inside this process and keeps what it wrote. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Recorded> {
  const stdout = recorder(options.terminal)
  const stderr = recorder(options.terminal)
  const code = await main(argv, {
    stdin: Readable.from(typeof options.input === 'object' ? options.input : [options.input ?? '']),
    stdout: stdout.stream,
    stderr: stderr.stream,
    environment: { HOME: '/nowhere', ...options.environment },
    onInterrupt: options.onInterrupt ?? (() => () => {}),
    ...(options.exit === undefined ? {} : { exit: options.exit }),
    ...(options.connection === undefined ? {} : { connect: () => Promise.resolve(options.connection!) }),
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function recorder(terminal = false) {
  const stream = Object.assign(new PassThrough(), { isTTY: terminal, columns: 100 })
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
  })
  return { stream, text: () => text }
}
