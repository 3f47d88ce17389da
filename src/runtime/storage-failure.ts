import { StoreError } from '../session.ts'
import { RuntimeError } from './contract.ts'

/** A failure of the store in the words of the runtime. Other errors are passed on. */
export function storageFailure(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error
  const code = error.code === 'full' ? 'storage-full' : 'storage'
  return new RuntimeError(code, error.message, { store: error.code }, { cause: error })
}
