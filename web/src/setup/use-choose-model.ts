import { useState } from 'react'
import { useSWRConfig } from 'swr'
import { api, type ApiError } from '../api/client.ts'

/** Sets the model of the home. The page shows it everywhere once it is set. */
export function useChooseModel(): {
  choose(model: string): Promise<void>
  readonly busy: boolean
  readonly error: ApiError | undefined
} {
  const { mutate } = useSWRConfig()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  return {
    busy,
    error,
    async choose(model) {
      setBusy(true)
      setError(undefined)
      try {
        await api('/api/setup/model', { method: 'PUT', body: { model } })
        await Promise.all(['/api/setup', '/api/status', '/api/models'].map((path) => mutate(path)))
      } catch (failure) {
        setError(failure as ApiError)
      } finally {
        setBusy(false)
      }
    },
  }
}
