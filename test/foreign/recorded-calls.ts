import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ForeignRequestHead } from '../../src/foreign.ts'

/** A call of a real program with filler for every text: structure, headers and cache marks are as they were. */
export interface RecordedCall extends ForeignRequestHead {
  readonly body: Record<string, unknown>
}

/** The calls of a recording in `recorded/`, in their order. */
export function recordedCalls(name: string): readonly RecordedCall[] {
  const text = readFileSync(join(import.meta.dirname, 'recorded', `${name}.jsonl`), 'utf8')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RecordedCall]))
}
