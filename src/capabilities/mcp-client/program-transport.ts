import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { type Clock, LONG_TEXT, noteToolProgram, settlesWithin, timeSlice, withoutInherited } from '../../platform.ts'
import type { ConfinedProgram } from '../../tool.ts'
import type { ServerAddress } from './server-address.ts'
import { describeStartFailure } from './server-trouble.ts'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { numberText } from '../../context.ts'

/** The functions of the library that are needed here; the library is loaded late. */
interface MessageCodec {
  readonly deserializeMessage: (line: string) => JSONRPCMessage
  readonly serializeMessage: (message: JSONRPCMessage) => string
}

export interface ProgramTransport extends Transport {
  /** These two tell the library that this is a program: one that does not answer the first request is an older server. */
  readonly pid: number | undefined
  readonly stderr: null
  /** How the program ended by itself, and its last lines. May contain secrets. */
  ending(): string | undefined
  /** What the program has last written on its error output. May contain secrets. */
  lastLines(): readonly string[]
}

export type ProgramAddress = Extract<ServerAddress, { type: 'program' }>

/** Puts the program of a server into its sandbox. Rejects with a sentence where that cannot be done. */
export type Confine = (address: ProgramAddress) => Promise<ConfinedProgram>

/** The code of an error: the sandbox of a program cannot be made, now or in a while. */
export const NO_SANDBOX = 'NO_SANDBOX'

/** The time a program has to end by itself, and then again after SIGTERM, ms. */
const EXIT_MS = 1_000

/** How long the rest of the outputs is waited for once the program is gone, ms. */
const CLOSE_MS = 500

/**
 * The server as a program of this machine, with one message a line. Passes on only the environment in `address`, and
 * makes the program the leader of a process group, so that everything it started ends with it.
 */
export function programTransport(
  clock: Clock,
  address: ProgramAddress,
  { deserializeMessage, serializeMessage }: MessageCodec,
  largestMessage: number,
  confine?: Confine,
): ProgramTransport {
  const waiting: string[] = []
  const lines = messageLines(largestMessage, (line) => void waiting.push(line))
  const work = timeSlice(clock)
  let child: ChildProcess | undefined
  let lastLines: () => readonly string[] = () => []
  let ending: string | undefined
  let isClosed = false
  let closing: Promise<void> | undefined
  let confined: ConfinedProgram | undefined
  let exiting: Promise<void> | undefined
  let reading: Promise<void> | undefined

  async function start(): Promise<void> {
    if (isClosed) throw new Error('it was closed')
    try {
      confined = await confine?.(address)
    } catch (error) {
      ending = (error as Error).message
      throw Object.assign(new Error(ending, { cause: error }), { code: NO_SANDBOX })
    }
    const [program = '', ...args] = confined?.argv ?? address.argv
    const started = spawn(program, args, {
      ...(address.folder !== undefined && { cwd: address.folder }),
      env: { ...address.environment },
      stdio: withoutInherited(['pipe', 'pipe', 'pipe']),
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    child = started
    const forget = started.pid === undefined ? () => {} : noteToolProgram(started.pid)
    lastLines = keepLastLines(started.stderr)
    started.stdin.on('error', () => {})
    started.stdout.on('error', () => {})
    started.stdout.on('data', onData)
    started.once('exit', (code, signal) => {
      forget()
      exiting = onExit(started, code === null ? `by ${signal}` : `with code ${code}`)
    })
    try {
      await once(started, 'spawn')
    } catch (error) {
      ending = describeStartFailure(program, address.folder, error)
      throw new Error(ending, { cause: error })
    }
    started.on('error', (error) => transport.onerror?.(error))
  }

  function onData(chunk: Buffer): void {
    const isShort = lines(chunk)
    reading ??= readWaiting().finally(() => (reading = undefined))
    if (isShort) return
    ending ??= `it sent a message of more than ${numberText(largestMessage)} bytes`
    void close()
  }

  /** Other work runs between many messages, since a chunk of the pipe may have a thousand, and before a long one is parsed. */
  async function readWaiting(): Promise<void> {
    work.renew()
    for (const line of waiting) {
      if (line.length > LONG_TEXT || work.isOver()) {
        child?.stdout?.pause()
        await work.rest()
      }
      read(line)
    }
    waiting.length = 0
    child?.stdout?.resume()
  }

  /** Ignores lines that are no message of the protocol: some servers print a greeting. */
  function read(line: string): void {
    try {
      transport.onmessage?.(deserializeMessage(line))
    } catch (error) {
      transport.onerror?.(error as Error)
    }
  }

  async function onExit(program: ChildProcess, how: string): Promise<void> {
    const closed = once(program, 'close')
    signalGroup(program, 'SIGKILL')
    await settlesWithin(clock, closed, CLOSE_MS)
    await reading
    await confined?.leave()
    for (const stream of [program.stdin, program.stdout, program.stderr]) stream?.destroy()
    const words = lastLines().slice(-QUOTED_LINES)
    if (!closing) ending = `it ended ${how}${words.length === 0 ? '' : `; its last words: ${words.join(' | ')}`}`
    closedNow()
  }

  function closedNow(): void {
    if (isClosed) return
    isClosed = true
    transport.onclose?.()
  }

  async function close(): Promise<void> {
    closing ??= end()
    return closing
  }

  /** Closes its input, then sends SIGTERM, then SIGKILL. */
  async function end(): Promise<void> {
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      child.stdin?.end()
      if (!(await settlesWithin(clock, gone, EXIT_MS))) signalGroup(child, 'SIGTERM')
      if (!(await settlesWithin(clock, gone, EXIT_MS))) signalGroup(child, 'SIGKILL')
      await gone
    }
    if (child) signalGroup(child, 'SIGKILL')
    await exiting
    closedNow()
  }

  const transport: ProgramTransport = {
    stderr: null,
    get pid() {
      return child?.pid
    },
    ending: () => ending,
    lastLines: () => lastLines(),
    start,
    async send(message) {
      const input = child?.stdin
      if (!input?.writable) {
        throw Object.assign(new Error(ending ?? 'the program is not running'), { code: 'NOT_CONNECTED' })
      }
      input.write(serializeMessage(message))
    },
    close,
  }
  return transport
}

/** Signals the program and everything it started that is still in its group. */
function signalGroup(program: ChildProcess, signal: NodeJS.Signals): void {
  if (program.pid === undefined) return
  try {
    if (process.platform === 'win32') program.kill(signal)
    else process.kill(-program.pid, signal)
  } catch {
    // The group is gone.
  }
}

/** Receives a stream, chunk by chunk. Answers false, from then on, once a line is too long. */
type MessageLines = (chunk: Buffer) => boolean

const LINE_FEED = 10

/** Passes each whole line to `onLine`, and looks at no byte twice, however small the chunks are. */
export function messageLines(longestBytes: number, onLine: (line: string) => void): MessageLines {
  let pieces: Buffer[] = []
  let size = 0
  return (chunk) => {
    for (let from = 0; size <= longestBytes;) {
      const end = chunk.indexOf(LINE_FEED, from)
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end)
      pieces.push(piece)
      size += piece.length
      if (end === -1 || size > longestBytes) break
      const line = Buffer.concat(pieces).toString('utf8')
      pieces = []
      size = 0
      from = end + 1
      onLine(line)
    }
    if (size <= longestBytes) return true
    pieces = []
    return false
  }
}

const QUOTED_LINES = 4

const LINES = 40
const CHARACTERS = 200

/** The longest unfinished line that is kept, characters. */
const LONGEST = 10_000

/** Keeps only the last lines of a program's output. */
function keepLastLines(stream: Readable): () => readonly string[] {
  let kept: readonly string[] = []
  let unfinished = ''
  stream.setEncoding('utf8')
  stream.on('error', () => {})
  stream.on('data', (chunk: string) => {
    const lines = (unfinished + chunk).split(/\r\n|\n|\r/)
    unfinished = (lines.pop() ?? '').slice(-LONGEST)
    kept = [...kept, ...lines.map(plainLine).filter(Boolean)].slice(-LINES)
  })
  return () => [...kept, plainLine(unfinished)].filter(Boolean).slice(-LINES)
}

/** Without the codes that colour a terminal. */
function plainLine(line: string): string {
  // oxlint-disable-next-line no-control-regex
  const clean = line.replace(/\u001B\[[0-9;]*[A-Za-z]|[\u0000-\u001F\u007F]/g, ' ').trim()
  return clean.length > CHARACTERS ? `${clean.slice(0, CHARACTERS)} …` : clean
}
