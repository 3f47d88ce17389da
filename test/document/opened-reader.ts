import { addDescendants, listProcesses, systemClock } from '../../src/platform.ts'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDocumentReader, type DocumentReader } from '../../src/document.ts'
import type { DocumentReaderOptions } from '../../src/document/document-reader.ts'

/** A reader that is closed after the test. */
export function readerOf(context: TestContext, options?: Partial<DocumentReaderOptions>): DocumentReader {
  const reader = createDocumentReader({ clock: systemClock, ...options })
  context.after(reader.close)
  return reader
}

/** Ids of processes that read documents for this one, with those within a sandbox and what is around them: children come last. */
export function readingProcesses(): readonly number[] {
  const all = listProcesses()
  const ours = new Set(all.filter(({ pid }) => pid === process.pid))
  addDescendants(ours, all)
  return [...ours]
    .filter(({ pid, isZombie }) => !isZombie && commandOf(pid).includes('reading-program'))
    .map(({ pid }) => pid)
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

export async function until(isSo: () => boolean): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- this is waiting
  while (!isSo()) await sleep(20)
}
