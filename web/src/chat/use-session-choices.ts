import { useState } from 'react'
import { useSWRConfig } from 'swr'
import { api, type ApiError } from '../api/client.ts'
import { type ChoiceList, type ListedSession, useResource } from '../api/resources.ts'
import type { HeldDraft } from './use-draft.ts'

/** What a session has chosen: its model and, by their names, what the gateway offers. */
export interface SessionChoices {
  readonly chosen: Readonly<Record<string, string>>
  /** Whether `chosen` is known, or cannot be. */
  readonly loaded: boolean
  readonly error: ApiError | undefined
  /** An empty value chooses none. */
  choose(name: string, value: string): Promise<void>
}

/** Before the first message the choices are part of the draft; from then on they are the session's. */
export function useSessionChoices(session: string | undefined, held: HeldDraft): SessionChoices {
  const path = session === undefined ? undefined : `/api/sessions/${encodeURIComponent(session)}`
  const { data: row, error: unread } = useResource<ListedSession>(path)
  const { data: offered, error: unlisted } = useResource<ChoiceList>('/api/choices', { revalidateOnFocus: false })
  const { mutate } = useSWRConfig()
  const [error, setError] = useState<ApiError>()
  const names = offered?.choices.map(({ name }) => name) ?? []

  const chosen = path === undefined ? held.draft.chosen : chosenIn(row, names)
  return {
    chosen,
    loaded: path === undefined || Boolean((row ?? unread) && (offered ?? unlisted)),
    error,
    async choose(name, value) {
      setError(undefined)
      if (path === undefined) {
        const { [name]: _, ...others } = held.current().chosen
        return held.change({ chosen: value === '' ? others : { ...others, [name]: value }, attempt: undefined })
      }
      try {
        await mutate(path, await api(path, { method: 'PATCH', body: { [name]: value === '' ? null : value } }), false)
      } catch (failure) {
        setError(failure as ApiError)
      }
    },
  }
}

function chosenIn(row: ListedSession | undefined, names: readonly string[]): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, unknown>> = row ?? {}
  return Object.fromEntries(
    ['model', ...names].flatMap((name) => {
      const value = fields[name]
      return typeof value === 'string' ? [[name, value] as const] : []
    }),
  )
}
