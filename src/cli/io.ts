import type { Io } from '../capability.ts'

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
