import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Io, Output } from '../capability.ts'

/** One piece of data on a line of its own. */
export function print(io: Io, text: string): void {
  io.stdout.write(`${text}\n`)
}

/**
 * Exactly one JSON document on a line of its own, or on several for people to read. What JSON lets stand although a terminal would obey it, or turn the
 * reading direction, is written as JSON writes other controls: it means the same.
 */
export function printJson(io: Io, value: unknown, { pretty = false }: { readonly pretty?: boolean } = {}): void {
  const text = JSON.stringify(value, null, pretty ? 2 : 0).replaceAll(STEERING, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  io.stdout.write(`${text}\n`)
}

const STEERING = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** Says something beside the data: it stands on the error output, so that a pipe carries data alone. */
export function note(io: Io, text: string): void {
  io.stderr.write(`${text}\n`)
}

/** The width of the terminal in columns; a plain page where there is none or it does not say. */
export function width(io: Io): number {
  return io.stdout.columns || 100
}

/** Columns that a line may take: the terminal's, and any number in a pipe, which gets every character. */
export function lineLimit(io: Io): number {
  return io.stdout.isTTY === true ? width(io) : Infinity
}

/** Everything that comes in on the standard input. */
export async function readInput(io: Io): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of io.stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export type Look = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'

/** Words in a look of their own: only on a terminal, and never with `NO_COLOR`. */
export function styled(io: Io, look: Look, text: string, output: Output = io.stdout): string {
  return hasColour(io, output) ? styleText(look, text, { validateStream: false }) : text
}

function hasColour(io: Io, output: Output): boolean {
  if (io.environment.NO_COLOR !== undefined && io.environment.NO_COLOR !== '') return false
  return output.isTTY === true && io.environment.TERM !== 'dumb'
}

/**
 * Text of a model, a tool or a file, fit for a terminal: without the control characters by which it could move the
 * cursor, rewrite what stands above or set the clipboard. A pipe gets every character as it is.
 */
export function harmless(text: string, output: Output): string {
  if (output.isTTY !== true) return text
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out here
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '')
}

/** An output that can be sent elsewhere for a while. */
export interface RedirectableOutput {
  readonly output: Output
  /** `undefined` is its own place again. */
  readonly sendTo: (other: Output | undefined) => void
}

/** What is said beside a talk, such as warnings of a gateway in this process, must not be written into the live lines. */
export function redirected(own: Output): RedirectableOutput {
  let target = own
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      target.write(chunk)
      done()
    },
  })
  return {
    output: Object.assign(stream, { isTTY: own.isTTY === true }),
    sendTo(other) {
      target = other ?? own
    },
  }
}
