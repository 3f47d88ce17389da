import { type FormEvent, type ReactNode, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { signIn } from '../api/sign-in.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'

const wrong = {
  message: 'This is not the token of this gateway.',
  hint: 'Run `foreword token` on the machine of the gateway and copy the whole line.',
}

/** Shown to a browser that has no cookie of this gateway. The token is sent once; the gateway answers with a cookie. */
export function SignInPage(): ReactNode {
  const [token, setToken] = useState('')
  const [error, setError] = useState<Pick<ApiError, 'message' | 'hint'>>()

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const refusal = await signIn(token)
    if (refusal === undefined) location.reload()
    // An expired one is named.
    else setError(refusal.status === 401 && refusal.facts['token'] === undefined ? wrong : refusal)
  }

  return (
    <main className="mx-auto flex min-h-full max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl font-semibold">Sign in to Foreword</h1>
      <p className="text-soft">
        Open the link that <code>foreword start</code> prints, or paste the token. The command{' '}
        <code>foreword token</code> shows it.
      </p>
      <form onSubmit={(event) => void submit(event)} className="flex gap-2">
        <label className="sr-only" htmlFor="token">
          Token
        </label>
        <input
          id="token"
          type="password"
          required
          autoFocus
          autoComplete="current-password"
          value={token}
          className="min-w-0 flex-1 rounded-lg border border-strong-line bg-raised px-3 py-2"
          onChange={(event) => setToken(event.target.value)}
        />
        <Button type="submit">Sign in</Button>
      </form>
      {error && <ErrorNote error={error} />}
    </main>
  )
}
