import { useSWRConfig } from 'swr'
import { api, type ApiError } from '../api/client.ts'
import { useAction } from '../parts/use-action.ts'

/** Sets the model of the home. The page shows it everywhere once it is set. */
export function useChooseModel(): {
  choose(model: string): Promise<void>
  readonly busy: boolean
  readonly error: ApiError | undefined
} {
  const { mutate } = useSWRConfig()
  const { busy, error, act } = useAction()
  return {
    busy,
    error,
    choose: (model) =>
      act(async () => {
        await api('/api/setup/model', { method: 'PUT', body: { model } })
        await Promise.all(['/api/setup', '/api/status', '/api/models'].map((path) => mutate(path)))
      }),
  }
}
