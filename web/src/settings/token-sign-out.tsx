import { type ReactNode, useState } from 'react'
import { api, type ApiError } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { scopeTitle } from './token-words.ts'

interface SignOutProps {
  /** Of the token that this browser has brought. Absent: that of the owner. */
  readonly name?: string | undefined
  readonly scope: string
}

export function SignOut({ name, scope }: SignOutProps): ReactNode {
  const [error, setError] = useState<ApiError>()
  const leave = async (): Promise<void> => {
    try {
      await api('/api/logout', { method: 'POST' })
      location.reload()
    } catch (failure) {
      setError(failure as ApiError)
    }
  }
  return (
    <section aria-label="This browser" className="flex flex-col gap-2 text-sm">
      <h2 className="text-lg font-semibold">This browser</h2>
      <p>
        {name === undefined
          ? 'It is signed in with the token of the owner, for 30 days at most.'
          : `It is signed in with the token ${name}, which ${scopeTitle(scope)}, for 30 days at most.`}
      </p>
      {error && <ErrorNote error={error} />}
      <div>
        <Button look="plain" onClick={() => void leave()}>
          Sign out
        </Button>
      </div>
    </section>
  )
}
