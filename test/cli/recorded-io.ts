import { PassThrough, Readable } from 'node:stream'
import type { CapabilityOverview, GatewayConnection, Io } from '../../src/capability.ts'
import { main } from '../../src/cli/main.ts'
import { overview } from '../../src/foreword/overview.ts'

/** Times for people are those of one zone on every machine. */
process.env.TZ = 'UTC'

export interface Recorded {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string | Uint8Array | AsyncIterable<string>
  readonly environment?: Readonly<Record<string, string>>
  readonly terminal?: boolean
  /** Of the terminal; 100 unless given. */
  readonly columns?: number
  /** Somebody sits at the terminal and types `input`, a line whenever something is asked; or looks on in silence. */
  readonly person?: boolean | 'silent'
  readonly connection?: GatewayConnection
  /** Of what comes with Foreword unless given. */
  readonly overview?: CapabilityOverview
  readonly onInterrupt?: Io['onInterrupt']
  /** A pipe that is open and stays silent. */
  readonly idle?: boolean
  readonly exit?: Io['exit']
  /** Is called with each piece of the output. */
  readonly onOutput?: (piece: string) => void
  /** Draws the editor of a chat; somebody sits there. */
  readonly editor?: Io['terminal']
}

/** Runs a command inside this process and keeps what it wrote. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Recorded> {
  const terminal = options.terminal ?? Boolean(options.person ?? options.editor)
  const stdout = recorder(terminal, options.columns)
  const stderr = recorder(terminal, options.columns)
  const { onOutput } = options
  if (onOutput) for (const { stream } of [stdout, stderr]) stream.on('data', (piece: Buffer) => onOutput(String(piece)))
  const code = await main(argv, {
    stdin: stdinOf(options, stdout),
    stdout: stdout.stream,
    stderr: stderr.stream,
    overview: options.overview ?? overview,
    environment: { HOME: '/nowhere', ...options.environment },
    onInterrupt: options.onInterrupt ?? (() => () => {}),
    firstInputMs: options.idle === true ? 1 : 60_000,
    ...(options.exit === undefined ? {} : { exit: options.exit }),
    ...(options.editor === undefined ? {} : { terminal: options.editor }),
    ...(options.connection === undefined ? {} : { connect: () => Promise.resolve(options.connection!) }),
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function stdinOf({ person, input, idle, editor }: RunOptions, screen: ReturnType<typeof recorder>): Io['stdin'] {
  if (idle === true) return new PassThrough()
  if (person === 'silent' || editor !== undefined) return Object.assign(new PassThrough(), { isTTY: true })
  return person === true ? keyboard(screen, input) : piped(input)
}

/** Bytes, as a pipe of the system has them. Reads `input` only when the command reads. */
function piped(input: RunOptions['input']): Readable {
  async function* bytes() {
    const chunks = typeof input === 'object' && !(input instanceof Uint8Array) ? input : [input ?? '']
    for await (const chunk of chunks) yield Buffer.from(chunk)
  }
  return Readable.from(bytes(), { objectMode: false })
}

/** Types the next line each time something is asked; when there is no more, the input has ended. */
function keyboard(screen: ReturnType<typeof recorder>, input: RunOptions['input']): Io['stdin'] {
  const lines = typeof input === 'string' && input !== '' ? input.split(/(?<=\n)/) : []
  const keys = Object.assign(new PassThrough(), { isTTY: true })
  screen.stream.on('data', (chunk: Buffer) => {
    if (!/(?:deny|none\)|\[y\/n\]): |^> $/.test(chunk.toString('utf8'))) return
    setImmediate(() => {
      const line = lines.shift()
      if (line === undefined) keys.end()
      else keys.write(line)
    })
  })
  return keys
}

function recorder(terminal = false, columns = 100) {
  const stream = Object.assign(new PassThrough(), { isTTY: terminal, columns })
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
  })
  return { stream, text: () => text }
}
