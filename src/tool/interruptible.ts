import { createContext, Script } from 'node:vm'

/**
 * Does a piece of work that never waits, and throws where it takes longer than `limitMs`: not even an expression that
 * backtracks without end goes on then. For work whose length somebody else decides, such as the author of a schema.
 */
export function interruptible<Value>(work: () => Value, limitMs: number): Value {
  room.work = work
  try {
    return script.runInContext(room, { timeout: limitMs }) as Value
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new Interrupted(`it takes longer than ${limitMs} ms`, { cause: error })
  } finally {
    room.work = undefined
  }
}

/** The work was ended in its midst, and what it worked on may be left half done: it did not even tidy up. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Made once. It only calls: what is called knows everything that it knew before. */
const script = new Script('work()')
const room: { work: (() => unknown) | undefined } = { work: undefined }
createContext(room)
