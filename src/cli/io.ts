import { Writable } from 'node:stream'
import type { AnyCapability, CommandCall, Io, Output } from '../capability.ts'
import { exactLine } from '../context.ts'
import { wrappedLine } from './wrapped-line.ts'

/** Prints data to standard output with a line break. On a terminal only looks stay of what could control it. */
export function print(io: Io, text: string, look?: Look): void {
  const styled = look === undefined ? text : applyStyle(io, look, text)
  io.stdout.write(`${withoutControl(styled, io.stdout)}\n`)
}

/** Prints JSON on one line, or indented with `pretty`, and returns the exit code 0. What could affect a terminal is escaped. */
export function printJson(io: Io, value: unknown, { pretty = false }: { readonly pretty?: boolean } = {}): number {
  io.stdout.write(`${escapeJson(JSON.stringify(value, null, pretty ? 2 : 0))}\n`)
  return 0
}

/** The same JSON, with what could affect a terminal as escapes. */
export function escapeJson(text: string): string {
  return text.replaceAll(CONTROLS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const CONTROLS = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** Prints one item per line as JSON with `--json`, else a table, or a sentence for an empty list. Returns the exit code 0. */
export function printList<Item>(
  items: readonly Item[],
  { empty, table }: { readonly empty: string; readonly table: (items: readonly Item[], io: Io) => string },
  { json }: Pick<CommandCall, 'json'>,
  io: Io,
): number {
  if (json) for (const item of items) printJson(io, item)
  else if (items.length === 0) note(io, empty)
  else print(io, table(items, io))
  return 0
}

/** Prints JSON with `--json`, else the text that `show` returns, if it does not print by itself. Returns the exit code 0. */
export function printAnswer<Answer>(
  answer: Answer,
  show: (answer: Answer, io: Io) => string | void,
  { json }: Pick<CommandCall, 'json'>,
  io: Io,
): number {
  if (json) return printJson(io, answer)
  const text = show(answer, io)
  if (text !== undefined) print(io, text)
  return 0
}

/** Prints JSON with `--json`, else a sentence to the error output. Returns the exit code 0. */
export function printChange(facts: unknown, sentence: string, { json }: Pick<CommandCall, 'json'>, io: Io): number {
  if (json) return printJson(io, facts)
  note(io, sentence)
  return 0
}

/** The same to the error output, so that a pipe contains only data. A terminal has sentences broken at words. */
export function note(io: Io, text: string, look?: Look): void {
  const lines =
    io.stderr.isTTY === true
      ? text.split('\n').map((line) => (line.startsWith(' ') ? line : wrappedLine(line, width(io))))
      : [text]
  const styled = look === undefined ? lines.join('\n') : applyStyle(io, look, lines.join('\n'), io.stderr)
  io.stderr.write(`${withoutControl(styled, io.stderr)}\n`)
}

export function width(io: Io): number {
  return io.stdout.columns || 100
}

/** The columns of a line: the width of the terminal, unlimited in a pipe. */
export function lineLimit(io: Io): number {
  return io.stdout.isTTY === true ? width(io) : Infinity
}

export async function readInput(io: Io): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of io.stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export type Look = 'bold' | 'dim' | 'italic' | 'underline' | 'red' | 'yellow' | 'green' | 'cyan'

/** Text with a colour or weight: only on a terminal, and never with `NO_COLOR`. */
export function applyStyle(io: Io, look: Look, text: string, output: Output = io.stdout): string {
  const { NO_COLOR = '', TERM } = io.environment
  return NO_COLOR === '' && output.isTTY === true && TERM !== 'dumb'
    ? process.getBuiltinModule('node:util').styleText(look, text, { validateStream: false })
    : text
}

/**
 * Text of a model, a tool or a file on which no character works: what could move the cursor of a terminal, rewrite its lines,
 * set its clipboard, turn the direction of reading or leave no mark is written out, such as `\u{202e}`. Characters that join
 * letters and emoji stay. A pipe gets every character.
 */
export function safeForTerminal(text: string, output: Output): string {
  if (output.isTTY !== true) return text
  return text.replaceAll(/\r+(?=\n|$)|[\u00AD\uFEFF]/g, '').replaceAll(ACTIVE, exactLine)
}

/** The same for a line that has looks of its own. What hides a text, as black or concealed, is none of them. */
export function withoutControl(text: string, output: Output): string {
  if (output.isTTY !== true) return text
  return text
    .split(LOOK)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(ACTIVE, exactLine) : part))
    .join('')
}

// What `applyStyle` writes.
// oxlint-disable-next-line no-control-regex -- it begins with a control character
const LOOK = /(\u001B\[(?:[1-4]|2[2-4]|31|32|33|36|39)m)/

const ACTIVE =
  // oxlint-disable-next-line no-control-regex -- these control characters are written out
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu

export interface RedirectableOutput {
  readonly output: Output
  /** `undefined` ends the redirection. */
  readonly sendTo: (other: Output | undefined) => void
}

/** Redirects messages, such as warnings of a gateway in this process, away from the live lines of a chat. */
export function redirectable(own: Output): RedirectableOutput {
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

/** Where commands and choices come from. */
export type CommandSource = Pick<Io, 'capabilities' | 'overview'>

/** What the commands of this line come from, loaded where only an overview of it is known so far. */
export async function loadedCapabilities({ capabilities, overview }: CommandSource): Promise<readonly AnyCapability[]> {
  return capabilities ?? (await overview?.load()) ?? []
}

/** The same with the capabilities loaded. */
export async function withCapabilities(io: Io): Promise<Io & { readonly capabilities: readonly AnyCapability[] }> {
  return { ...io, capabilities: await loadedCapabilities(io) }
}

/** The capabilities of the program itself: a configuration is loaded with them, and loads those of its home. */
export async function programCapabilities(io: Io): Promise<readonly AnyCapability[]> {
  return io.programCapabilities ?? (await loadedCapabilities(io))
}
