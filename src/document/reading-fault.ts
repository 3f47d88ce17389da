import type { Unreadable } from './document.ts'

/** Ends the reading of a file with what its `Unreadable` will say. Never leaves the room. */
export class ReadingFault extends Error {
  readonly code: Unreadable['code']

  constructor(code: Unreadable['code'], reason: string) {
    super(reason)
    this.code = code
  }
}
