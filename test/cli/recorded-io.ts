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
  /** Somebody sits at the terminal and types `input`, a line whenever something is asked. */
  readonly person?: boolean
  readonly connection?: Connection
  readonly onInterrupt?: Io['onInterrupt']
  readonly exit?: Io['exit']
}

/** Runs a command inside this process and keeps what it wrote. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Recorded> {
  const terminal = options.terminal ?? options.person
  const stdout = recorder(terminal)
  const stderr = recorder(terminal)
  const code = await main(argv, {
    stdin: options.person === true ? keyboard(stdout, options.input) : piped(options.input),
    stdout: stdout.stream,
    stderr: stderr.stream,
    environment: { HOME: '/nowhere', ...options.environment },
    onInterrupt: options.onInterrupt ?? (() => () => {}),
    ...(options.exit === undefined ? {} : { exit: options.exit }),
    ...(options.connection === undefined ? {} : { connect: () => Promise.resolve(options.connection!) }),
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function piped(input: RunOptions['input']): Readable {
  return Readable.from(typeof input === 'object' ? input : [input ?? ''])
}

/** Types the next line each time a question stands at the end of the screen; when there is no more, the input has ended. */
function keyboard(screen: ReturnType<typeof recorder>, input: RunOptions['input']): Io['stdin'] {
  const lines = typeof input === 'string' ? input.split(/(?<=\n)/) : []
  const keys = Object.assign(new PassThrough(), { isTTY: true })
  let answered = 0
  screen.stream.on('data', () => {
    const asked = screen.text().match(/(?:\?|deny|nothing\)|\[y\/n\]): (?=[^\n]*$)/g)?.length ?? 0
    if (asked === 0 || screen.text().length === answered) return
    answered = screen.text().length
    setImmediate(() => {
      const line = lines.shift()
      if (line === undefined) keys.end()
      else keys.write(line)
    })
  })
  return keys
}

function recorder(terminal = false) {
  const stream = Object.assign(new PassThrough(), { isTTY: terminal, columns: 100 })
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
  })
  return { stream, text: () => text }
}
