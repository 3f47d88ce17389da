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
  /** Somebody sits at the terminal and types `input`, a line whenever something is asked; or looks on in silence. */
  readonly person?: boolean | 'silent'
  readonly connection?: Connection
  readonly onInterrupt?: Io['onInterrupt']
  readonly exit?: Io['exit']
  /** Draws the editor of a chat; somebody sits there. */
  readonly editor?: Io['terminal']
}

/** Runs a command inside this process and keeps what it wrote. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Recorded> {
  const terminal = options.terminal ?? Boolean(options.person ?? options.editor)
  const stdout = recorder(terminal)
  const stderr = recorder(terminal)
  const code = await main(argv, {
    stdin: stdinOf(options, stdout),
    stdout: stdout.stream,
    stderr: stderr.stream,
    environment: { HOME: '/nowhere', ...options.environment },
    onInterrupt: options.onInterrupt ?? (() => () => {}),
    ...(options.exit === undefined ? {} : { exit: options.exit }),
    ...(options.editor === undefined ? {} : { terminal: options.editor }),
    ...(options.connection === undefined ? {} : { connect: () => Promise.resolve(options.connection!) }),
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function stdinOf({ person, input, editor }: RunOptions, screen: ReturnType<typeof recorder>): Io['stdin'] {
  if (person === 'silent' || editor !== undefined) return Object.assign(new PassThrough(), { isTTY: true })
  return person === true ? keyboard(screen, input) : piped(input)
}

function piped(input: RunOptions['input']): Readable {
  return Readable.from(typeof input === 'object' ? input : [input ?? ''])
}

/** Types the next line each time something is asked; when there is no more, the input has ended. */
function keyboard(screen: ReturnType<typeof recorder>, input: RunOptions['input']): Io['stdin'] {
  const lines = typeof input === 'string' && input !== '' ? input.split(/(?<=\n)/) : []
  const keys = Object.assign(new PassThrough(), { isTTY: true })
  screen.stream.on('data', (chunk: Buffer) => {
    if (!/(?:deny|nothing\)|\[y\/n\]): |^> $/.test(chunk.toString('utf8'))) return
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
