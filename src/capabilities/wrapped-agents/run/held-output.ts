import { PassThrough } from 'node:stream'
import type { Io } from '../../../capability.ts'

interface HeldOutput {
  readonly output: Io['stderr']
  readonly lines: () => readonly string[]
}

/** Messages of the gateway wait here: they would be written over what the program draws. */
export function heldOutput(): HeldOutput {
  const chunks: Buffer[] = []
  const output = new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk))
  return {
    output,
    lines: () =>
      Buffer.concat(chunks)
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== ''),
  }
}
