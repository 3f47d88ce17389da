import { RuntimeError } from '../capability.ts'
import { ModelError } from '../model.ts'
import { StoreError } from '../session.ts'

/** A failure of the store or of a model in the words of the runtime. Other errors are passed on. */
export function runtimeFailure(error: unknown): unknown {
  if (error instanceof ModelError) {
    const { code, message, facts, hint } = error
    return new RuntimeError(code, message, facts, { hint, cause: error })
  }
  if (!(error instanceof StoreError)) return error
  const code = error.code === 'full' ? 'storage-full' : 'storage'
  return new RuntimeError(code, error.message, { store: error.code }, { cause: error })
}
