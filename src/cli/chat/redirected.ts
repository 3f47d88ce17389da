import { Writable } from 'node:stream'
import type { Output } from '../../capability.ts'

/** An output that can be sent elsewhere for a while. */
export interface Redirected {
  readonly output: Output
  /** `undefined` is its own place again. */
  readonly sendTo: (other: Output | undefined) => void
}

/** What is said beside a talk, such as warnings of a gateway in this process, must not be written into the live lines. */
export function redirected(own: Output): Redirected {
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
