import { useState } from 'react'
import type { ApiError } from '../api/client.ts'

/** What a person starts with a button: whether it runs, and why it failed last. `act` does not reject. */
export function useAction(): {
  readonly busy: boolean
  readonly error: ApiError | undefined
  act(work: () => Promise<unknown>): Promise<void>
} {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  return {
    busy,
    error,
    async act(work) {
      setBusy(true)
      setError(undefined)
      try {
        await work()
      } catch (failure) {
        setError(failure as ApiError)
      } finally {
        setBusy(false)
      }
    },
  }
}
