import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { CopyLine } from '../parts/copy-button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select, TextField } from '../parts/fields.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { useAction } from '../parts/use-action.ts'
import type { TokenScope } from '../../../src/capability.ts'
import { Confirmation } from '../parts/confirmation.tsx'

const TOKENS = '/api/tokens'

/** Tokens for other programs, devices and people: the list, and a new one, which is shown once. */
export function NamedTokens(): ReactNode {
  const { data, error, mutate } = useResource<{ readonly tokens: readonly ListedToken[] }>(TOKENS)
  const [made, setMade] = useState<MadeToken>()
  const change = (token?: MadeToken): void => {
    setMade(token)
    void mutate()
  }
  return (
    <section aria-label="Tokens for others" className="flex flex-col gap-3 text-sm">
      <h2 className="text-lg font-semibold">Tokens for others</h2>
      <p className="text-soft">
        Give each program, device and person a token of its own, with the least rights that are enough. The audit says
        whose token decided and changed something.
      </p>
      {error && data === undefined && <ErrorNote error={error} />}
      {!error && data === undefined && <Spinner />}
      {data !== undefined && data.tokens.length === 0 && <p>None yet.</p>}
      {data !== undefined && data.tokens.length > 0 && (
        <ul aria-label="Tokens" className="divide-y divide-line">
          {data.tokens.map((each) => (
            <TokenRow key={each.name} token={each} onRevoked={() => change()} />
          ))}
        </ul>
      )}
      {made && <NewToken made={made} />}
      <TokenForm onMade={change} />
    </section>
  )
}

interface MadeToken {
  readonly name: string
  readonly token: string
}

function NewToken({ made: { name, token } }: { readonly made: MadeToken }): ReactNode {
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg border border-good px-3 py-2">
      <p>{`This is the token ${name}. Copy it now: it is not shown again.`}</p>
      <CopyLine text={token} />
    </div>
  )
}

function TokenRow({ token, onRevoked }: { readonly token: ListedToken; onRevoked(): void }): ReactNode {
  const [asks, setAsks] = useState(false)
  const { busy, error, act } = useAction()
  const { name, scope, made, expires, used, isExpired } = token
  const revoke = (): Promise<void> =>
    act(async () => {
      await api(`${TOKENS}/${encodeURIComponent(name)}`, { method: 'DELETE' })
      onRevoked()
    })
  return (
    <li aria-label={name} className="flex flex-col gap-2 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <p className="font-medium break-words">
            {name} <span className="font-normal text-soft">{scopeTitle(scope)}</span>
          </p>
          <p className="text-xs text-soft">
            made <Moment time={made} />
            {' · '}
            {expires === undefined ? (
              'does not expire'
            ) : (
              <span className={isExpired ? 'text-bad' : undefined}>
                {isExpired ? 'expired ' : 'expires '}
                <Moment time={expires} />
              </span>
            )}
            {used === undefined ? ' · never used' : ' · last used '}
            {used !== undefined && <Moment time={used} />}
          </p>
        </div>
        {!asks && (
          <Button look="plain" aria-label={`Revoke ${name}`} onClick={() => setAsks(true)}>
            Revoke
          </Button>
        )}
      </div>
      {error && <ErrorNote error={error} />}
      {asks && (
        <Confirmation
          action={`Revoke ${name} now`}
          busy={busy}
          onConfirm={() => void revoke()}
          onCancel={() => setAsks(false)}
        >
          {`Whatever uses ${name} is refused from then on.`}
        </Confirmation>
      )}
    </li>
  )
}

function Moment({ time }: { readonly time: string }): ReactNode {
  return <time dateTime={time}>{new Date(time).toLocaleString('en')}</time>
}

function TokenForm({ onMade }: { onMade(token: MadeToken): void }): ReactNode {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<string>('talk')
  const [expires, setExpires] = useState('30d')
  const { busy, error, act } = useAction()
  const make = (event: FormEvent): Promise<void> => {
    event.preventDefault()
    return act(async () => {
      const until = expires === '' ? {} : { expires }
      onMade(await api<MadeToken>(TOKENS, { method: 'POST', body: { name: name.trim(), scope, ...until } }))
      setName('')
    })
  }
  return (
    <form aria-label="A token for another" onSubmit={(event) => void make(event)} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField
          label="Name"
          required
          maxLength={64}
          autoComplete="off"
          placeholder="phone"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Select label="May" options={scopes} value={scope} onChange={({ target }) => setScope(target.value)} />
        <Select
          label="Expires"
          options={expiries}
          value={expires}
          onChange={({ target }) => setExpires(target.value)}
        />
      </div>
      {error && <ErrorNote error={error} />}
      <div>
        <Button type="submit" look="plain" disabled={busy}>
          Make the token
        </Button>
      </div>
    </form>
  )
}

/** A named token: `GET /api/tokens`. */
interface ListedToken {
  readonly name: string
  readonly scope: TokenScope
  /** ISO 8601. */
  readonly made: string
  /** Absent: never. */
  readonly expires?: string
  /** To the minute. Absent: never. */
  readonly used?: string
  readonly isExpired: boolean
}

/** The scopes that the maker of a token can choose. */
const scopes: readonly { readonly value: TokenScope; readonly title: string }[] = [
  { value: 'read', title: 'read' },
  { value: 'talk', title: 'read and talk' },
  { value: 'approve', title: 'read, talk and approve' },
  { value: 'admin', title: 'do everything' },
  { value: 'mcp', title: 'use MCP alone' },
]

const expiries = [
  { value: '1d', title: 'in a day' },
  { value: '30d', title: 'in 30 days' },
  { value: '365d', title: 'in a year' },
  { value: '', title: 'never' },
] as const

/** What a token is for, in words. */
export function scopeTitle(scope: string): string {
  const title = scopes.find(({ value }) => value === scope)?.title
  return title === undefined ? scope : `may ${title}`
}
