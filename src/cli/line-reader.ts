import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import type { Io } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { withoutControl } from './io.ts'

export interface LineReader {
  /** The next line; `undefined` at the end of the input. A terminal shows `prompt`. Rejects for a line that is not UTF-8. */
  readonly next: (prompt: string) => Promise<string | undefined>
  /**
   * The next line typed after the question; lines typed ahead stay for `next`. `undefined` at the end of the input, or when
   * `signal` withdraws the question. Answers do not enter the history. `answers` are the valid ones: on a terminal, one of a
   * single letter needs no Enter. An editor accepts nothing else, a line may be anything.
   */
  readonly ask: (question: string, signal?: AbortSignal, answers?: readonly string[]) => Promise<string | undefined>
  /** Shows the prompt and the typed text again. */
  readonly again: () => void
  readonly close: () => void
}

export interface LineReaderOptions {
  /** Lines of earlier runs for the arrow keys, newest last. */
  readonly history: readonly string[]
  readonly onHistory: (history: readonly string[]) => void
  /** Called for Ctrl-C in raw mode. */
  readonly onInterrupt: () => void
}

/** Reads from standard input, with history and editing on a terminal. */
export function lineReader(io: Io, options: LineReaderOptions): LineReader {
  const terminal = io.stdin.isTTY === true && io.stdout.isTTY === true
  // Each byte as a character, so that a line is decoded as a whole and what is not UTF-8 is noticed.
  if (!terminal) io.stdin.setEncoding('latin1')
  const reader = createInterface({
    input: io.stdin,
    ...(terminal ? { output: io.stdout, history: options.history.toReversed(), removeHistoryDuplicates: true } : {}),
    historySize: 1_000,
    terminal,
  })
  const lines: string[] = []
  let closed = false
  let wake: () => void = () => {}
  let answer: ((line: string | undefined) => void) | undefined
  reader.on('line', (line) => {
    if (answer !== undefined) return answer(terminal ? line : Buffer.from(line, 'latin1').toString())
    lines.push(line)
    wake()
  })
  reader.on('close', () => {
    closed = true
    answer?.(undefined)
    wake()
  })
  reader.on('SIGINT', options.onInterrupt)
  reader.on('history', (history: string[]) => {
    if (answer === undefined) options.onHistory(history.toReversed())
    else history.shift()
  })
  let keys: readonly string[] = []
  if (terminal) io.stdin.on('keypress', () => void endLineOfOneKey())

  /** Ends the line where it is a key that answers the question. A letter that more letters follow at once was no answer. */
  async function endLineOfOneKey(): Promise<void> {
    await setImmediate()
    if (keys.includes(reader.line.toLowerCase())) reader.write(null, { name: 'return' })
  }

  return {
    async next(prompt) {
      if (terminal && lines.length === 0 && !closed) {
        reader.setPrompt(prompt)
        reader.prompt()
      }
      for (;;) {
        const line = lines.shift()
        if (line !== undefined) return terminal ? line : decodeLine(line)
        if (closed) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async ask(question, signal, answers = []) {
      // What was typed before the question is read first, so that it decides nothing.
      if (terminal) await setImmediate()
      if (closed || signal?.aborted) return undefined
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      answer = (line) => {
        if (line === undefined && terminal) io.stdout.write('\n')
        resolve(line)
      }
      const takeBack = () => answer?.(undefined)
      signal?.addEventListener('abort', takeBack, { once: true })
      if (terminal) {
        reader.setPrompt(withoutControl(question, io.stdout))
        reader.prompt()
        keys = answers.filter((each) => each.length === 1)
      }
      const line = await promise
      answer = undefined
      keys = []
      signal?.removeEventListener('abort', takeBack)
      return line
    },
    again: () => reader.prompt(true),
    close: () => reader.close(),
  }
}

function decodeLine(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch (error) {
    throw new CommandFailure('invalid-input', 'A line of the standard input is not UTF-8 text. It was not sent.', {
      hint: 'Attach it as a file: `/file PATH`.',
      cause: error,
    })
  }
}
