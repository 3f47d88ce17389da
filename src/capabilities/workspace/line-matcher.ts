import { type Clock, runnableFile } from '../../platform.ts'
import type { Worker } from 'node:worker_threads'

export interface LineMatch {
  readonly line: number
  readonly text: string
  /** Where in the line it begins to fit. */
  readonly at: number
}

export interface LineMatcher {
  /** The first lines that fit, at most `most`. Throws at the time limit. */
  match(text: string, most: number): Promise<readonly LineMatch[]>
  close(): Promise<void>
}

/** The part of a line that an expression is tried on, characters. */
const MOST_LINE = 10_000

export function literalMatcher(wanted: string): LineMatcher {
  return {
    match: async (text, most) => matchesIn(text, most, (line) => line.indexOf(wanted)),
    close: async () => {},
  }
}

/** Runs in a thread, which ends after `limitMs` for one text or with `signal`. Throws for an invalid expression. */
export async function expressionMatcher(
  clock: Clock,
  source: string,
  signal: AbortSignal,
  limitMs = 2000,
): Promise<LineMatcher> {
  const expression = new RegExp(source)
  const { Worker: Thread } = await import('node:worker_threads')
  const thread = new Thread(runnableFile(new URL('./expression-thread.ts', import.meta.url)), {
    workerData: expression.source,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  // A waiting question sees `exit`; without one, the next question finds the thread ended.
  thread.on('error', () => {})
  const end = () => void thread.terminate()
  signal.addEventListener('abort', end, { once: true })
  return {
    match: (text, most) => askThread(clock, thread, { text, most }, limitMs),
    async close() {
      signal.removeEventListener('abort', end)
      await thread.terminate()
    },
  }
}

function matchesIn(text: string, most: number, place: (line: string) => number): readonly LineMatch[] {
  const found: LineMatch[] = []
  const lines = fileLines(text)
  for (let index = 0; index < lines.length && found.length < most; index += 1) {
    const line = lines[index]!.replace(/\r$/, '').replaceAll('\0', '')
    const at = place(line)
    if (at !== -1) found.push({ line: index + 1, text: line, at })
  }
  return found
}

/** The lines of a text; a line that ended in `\r\n` keeps the `\r`. Only a text without `\n` is divided by `\r` alone. */
export function fileLines(text: string): readonly string[] {
  return text.split(text.includes('\n') ? '\n' : '\r')
}

export function expressionMatches(source: string, text: string, most: number): readonly LineMatch[] {
  const expression = new RegExp(source)
  return matchesIn(text, most, (line) => line.slice(0, MOST_LINE).search(expression))
}

interface Question {
  readonly text: string
  readonly most: number
}

async function askThread(
  clock: Clock,
  thread: Worker,
  question: Question,
  limitMs: number,
): Promise<readonly LineMatch[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly LineMatch[]>()
  const onExit = () => reject(new Error('the search was ended'))
  const cancel = clock.timer(limitMs, () => {
    reject(
      new Error(
        `the regular expression takes too long (more than ${limitMs} ms for one file); make it simpler, or search for a text`,
      ),
    )
    void thread.terminate()
  })
  thread.once('message', resolve)
  thread.once('exit', onExit)
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    thread.postMessage(question)
    return await promise
  } finally {
    cancel()
    thread.off('message', resolve)
    thread.off('exit', onExit)
  }
}
