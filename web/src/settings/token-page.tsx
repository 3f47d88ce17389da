import { type ReactNode, useState } from 'react'
import { api, type ApiError } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { NamedTokens } from './token-named.tsx'
import { scopeTitle } from './token-named.tsx'

interface TokenFacts {
  readonly needed: boolean
  /** ISO 8601. */
  readonly made?: string
  readonly canReplace: boolean
  /** Whose token this browser has; without a name that of the owner. */
  readonly caller: { readonly name?: string; readonly scope: string }
}

/** Who gets in: this browser, others with a named token, and the token of the owner, which is never shown. */
export default function TokenPage(): ReactNode {
  const { data, error, mutate } = useResource<TokenFacts>('/api/token')
  if (error && data === undefined) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        Browsers and programs need a token to use this gateway. That of the owner gives full access, so no page shows
        it.
      </p>
      {!data.needed && <p>This gateway asks for no token: everybody on this machine may use it.</p>}
      {data.needed && <SignOut {...data.caller} />}
      {data.needed && data.caller.scope === 'admin' && (
        <>
          <NamedTokens />
          <p className="text-sm">
            {data.made === undefined ? (
              'A token of the owner is set.'
            ) : (
              <>
                {'A token of the owner is set. It was stored on '}
                <time dateTime={data.made}>{new Date(data.made).toLocaleString('en')}</time>.
              </>
            )}
          </p>
          <StartLink />
          <Replacement canReplace={data.canReplace} onReplaced={() => void mutate()} />
        </>
      )}
    </div>
  )
}

function StartLink(): ReactNode {
  return (
    <section aria-label="Your other browsers" className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">Your other browsers</h2>
      <p className="text-sm text-soft">
        This command on the machine of the gateway prints the link with the token of the owner.
      </p>
      <div className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-2">
        <code className="min-w-0 flex-1 text-xs">foreword token</code>
        <CopyButton text="foreword token" />
      </div>
    </section>
  )
}

function Replacement({ canReplace, onReplaced }: { readonly canReplace: boolean; onReplaced(): void }): ReactNode {
  const [state, setState] = useState<'idle' | 'asks' | 'busy' | 'done'>('idle')
  const [error, setError] = useState<ApiError>()
  const replace = async (): Promise<void> => {
    setState('busy')
    setError(undefined)
    try {
      await api('/api/token/replace', { method: 'POST' })
      setState('done')
      onReplaced()
    } catch (failure) {
      setError(failure as ApiError)
      setState('asks')
    }
  }
  return (
    <section aria-label="Another token of the owner" className="flex flex-col gap-2 text-sm">
      <h2 className="text-lg font-semibold">Another token of the owner</h2>
      {error && <ErrorNote error={error} />}
      {!canReplace && (
        <p className="text-soft">
          The configuration sets the token. Change gateway.token or FOREWORD_GATEWAY_TOKEN, then start the gateway
          again.
        </p>
      )}
      {canReplace && state === 'done' && (
        <p role="status" className="text-good">
          A new token is set. This browser stays signed in; all others with the old one, and every program, need the new
          one.
        </p>
      )}
      {canReplace && (state === 'idle' || state === 'done') && (
        <div>
          <Button look="plain" onClick={() => setState('asks')}>
            Make a new token
          </Button>
        </div>
      )}
      {(state === 'asks' || state === 'busy') && (
        <div className="flex flex-col gap-3 rounded-lg border border-warn px-3 py-2">
          <p>
            Every other browser with the token of the owner is signed out, and programs with it are refused until they
            get the new one. The old token cannot be brought back. Tokens for others stay valid.
          </p>
          <div className="flex flex-wrap gap-2">
            <Button look="plain" onClick={() => setState('idle')}>
              Cancel
            </Button>
            <Button look="danger" disabled={state === 'busy'} onClick={() => void replace()}>
              Replace the token
            </Button>
          </div>
        </div>
      )}
    </section>
  )
}

interface SignOutProps {
  /** Of the token that this browser has brought. Absent: that of the owner. */
  readonly name?: string | undefined
  readonly scope: string
}

function SignOut({ name, scope }: SignOutProps): ReactNode {
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
