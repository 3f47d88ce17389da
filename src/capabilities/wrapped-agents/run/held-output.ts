import { PassThrough } from 'node:stream'
import type { Io } from '../../../capability.ts'

/** An output that keeps what is written to it. */
interface HeldOutput {
  readonly output: Io['stderr']
  readonly lines: () => readonly string[]
}

/** Messages of the gateway would be written over what the program draws: they wait here. */
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
