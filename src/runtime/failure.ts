import { RuntimeError } from '../capability.ts'
import { ModelError } from '../model.ts'
import { asSentence, errorMessage } from '../platform.ts'
import { SearchError } from '../search.ts'
import { StoreError } from '../session.ts'

/** A failure of the store, of a search index or of a model in the words of the runtime. Other errors are passed on. */
export function runtimeFailure(error: unknown): unknown {
  if (error instanceof ModelError) {
    const { code, message, facts, hint } = error
    return new RuntimeError(code, message, facts, { hint, cause: error })
  }
  const isOfDisk = error instanceof StoreError || (error instanceof SearchError && error.code !== 'embedding')
  if (!isOfDisk) return error
  const code = error.code === 'full' ? 'storage-full' : 'storage'
  return new RuntimeError(code, error.message, { store: error.code }, { cause: error })
}

/** The message of an error as a whole sentence, so that another can follow. */
export function failureSentence(error: unknown): string {
  return asSentence(errorMessage(error))
}

/** Waits between tries where others have to fix something, ms: from one second to five minutes. The last one repeats. */
export const growingDelaysMs: readonly number[] = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000]

export function delayAfter(failures: number, delaysMs: readonly number[]): number {
  return delaysMs[Math.min(failures, delaysMs.length) - 1] ?? 0
}

/** The database has not answered this gateway for so long that another one may have its homes. */
export function cutOffError(cause?: unknown): RuntimeError {
  const message = 'The database does not answer, so that another gateway may work now.'
  return new RuntimeError('standby', message, {}, { cause })
}
