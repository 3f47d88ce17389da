import { systemClock } from '../../src/platform.ts'
import { execFileSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDocumentReader, type DocumentReader, type DocumentReaderOptions } from '../../src/document.ts'

/** A reader that is closed after the test. */
export function readerOf(context: TestContext, options?: Partial<DocumentReaderOptions>): DocumentReader {
  const reader = createDocumentReader({ clock: systemClock, ...options })
  context.after(reader.close)
  return reader
}

/** Ids of the processes that this one started to read. */
export function readingProcesses(): readonly number[] {
  const listed = execFileSync('ps', ['-o', 'pid=,ppid=,args=', '-A'], { encoding: 'utf8' })
  return listed
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((found) => found !== null && Number(found[2]) === process.pid && found[3]!.includes('reading-program'))
    .map((found) => Number(found![1]))
}

export async function until(isSo: () => boolean): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- this is waiting
  while (!isSo()) await sleep(20)
}
