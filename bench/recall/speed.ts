import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/platform.ts'
import { openRecallIndex, type RecallIndex } from '../../src/search.ts'
import { madeDocuments } from '../search/made-documents.ts'
import { itemOf } from './searchable.ts'

/** The measurements of an index of one size. */
export interface RecallSpeed {
  readonly messages: number
  readonly indexedPerSecond: number
  /** The longest transaction, in ms. Indexing blocks all other work for that time. */
  readonly longestWait: number
  readonly megabytes: number
  /** The times of searches in one session of at most 100,000 messages, and in all sessions, in ms. */
  readonly oneSession: readonly number[]
  readonly allSessions: readonly number[]
}

/** The number of messages in each session. */
const PER_SESSION = 100_000
/** The number of messages in one transaction, as the gateway indexes messages of this length. */
const STEP = 64
const QUESTIONS = 200

/** Fills an index in a file up to each of the sizes, ascending, and searches it. */
export async function* recallSpeeds(sizes: readonly number[]): AsyncGenerator<RecallSpeed> {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
  const path = join(folder, 'history.sqlite')
  const index = await openRecallIndex({ clock: systemClock, path })
  const texts = saidTexts()
  let messages = 0
  try {
    for (const size of sizes) {
      const [began, before] = [performance.now(), messages]
      let longestWait = 0
      const timed = <Result>(work: () => Result) => {
        const since = performance.now()
        const result = work()
        longestWait = Math.max(longestWait, performance.now() - since)
        return result
      }
      while (messages < size) {
        const from = messages % PER_SESSION
        const count = Math.min(STEP, size - messages, PER_SESSION - from)
        const items = Array.from({ length: count }, (_, at) =>
          itemOf({ id: `${from + at}`, text: texts.next().value }, from + at),
        )
        const part = { session: nameOf(messages), created: '2026-01-01', from, upTo: from + count, mark: '', items }
        timed(() => index.add([part]))
        while (timed(() => index.mergeSome()));
        messages += count
      }
      const indexedPerSecond = ((messages - before) / (performance.now() - began)) * 1000
      yield {
        messages,
        indexedPerSecond,
        longestWait,
        megabytes: statSync(path).size / 1e6,
        oneSession: ask(index, [nameOf(Math.floor((messages - 1) / 2))]),
        allSessions: ask(index, undefined),
      }
    }
  } finally {
    index.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function nameOf(message: number): string {
  return `session-${Math.floor(message / PER_SESSION)}`
}

const asked = madeDocuments(7)

function ask(index: RecallIndex, sessions: readonly string[] | undefined): readonly number[] {
  const query = () => ({ text: asked.question(), ...(sessions && { sessions }) })
  index.find(query())
  return Array.from({ length: QUESTIONS }, () => {
    const since = performance.now()
    index.find(query())
    return performance.now() - since
  })
}

/** Texts of one to four sentences. */
function* saidTexts(): Generator<string, never> {
  const made = madeDocuments(7)
  for (let document = 0; ; document += 1) {
    const sentences = made.document(document).text.split(/(?<=\.)\s+/)
    for (let at = 0, n = 0; at < sentences.length; n += 1) {
      const count = 1 + (n % 4)
      yield sentences.slice(at, at + count).join(' ')
      at += count
    }
  }
}
