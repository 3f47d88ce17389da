import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { CopyLine } from '../parts/copy-text.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select, TextField } from '../parts/fields.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { useAction } from '../parts/use-action.ts'
import type { TokenScope } from '../../../src/capability.ts'
import { Confirmation } from '../parts/dialog.tsx'
import { timeText } from '../parts/numbers.ts'
import { type ListedPerson, PEOPLE, type PeopleList } from './people-kind.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'

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
    <section aria-label={t`Tokens for others`} className="flex flex-col gap-3 text-sm">
      <h2 className="text-lg font-semibold">{t`Tokens for others`}</h2>
      <p className="text-soft">
        {t`Each program, device and person gets a token of its own, with the least rights. The audit names it.`}
      </p>
      {error && data === undefined && <ErrorNote error={error} />}
      {!error && data === undefined && <Spinner />}
      {data !== undefined && data.tokens.length === 0 && <p>{t`None yet.`}</p>}
      {data !== undefined && data.tokens.length > 0 && (
        <ul aria-label={t`Tokens`} className="divide-y divide-line">
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
      <p>{t`This is the token ${name}. Copy it now: it is not shown again.`}</p>
      <CopyLine text={token} />
    </div>
  )
}

function TokenRow({ token, onRevoked }: { readonly token: ListedToken; onRevoked(): void }): ReactNode {
  const [asks, setAsks] = useState(false)
  const { busy, error, act } = useAction()
  const { name, scope, made, expires, used, isExpired, person, invites } = token
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
            {name}{' '}
            <span className="font-normal text-soft">
              {invites
                ? t`invitation of ${person!}`
                : person === undefined
                  ? scopeTitle(scope)
                  : t`of ${person}, ${scopeTitle(scope)}`}
            </span>
          </p>
          <p className="text-xs text-soft">
            {rich`made ${<Moment time={made} />}`}
            {' · '}
            {expires === undefined ? (
              t`does not expire`
            ) : (
              <span className={isExpired ? 'text-bad' : undefined}>
                {isExpired ? rich`expired ${<Moment time={expires} />}` : rich`expires ${<Moment time={expires} />}`}
              </span>
            )}
            {' · '}
            {used === undefined ? t`never used` : rich`last used ${<Moment time={used} />}`}
          </p>
        </div>
        {!asks && (
          <Button look="plain" aria-label={t`Revoke ${name}`} onClick={() => setAsks(true)}>
            {t`Revoke`}
          </Button>
        )}
      </div>
      {error && <ErrorNote error={error} />}
      {asks && (
        <Confirmation
          action={t`Revoke ${name} now`}
          busy={busy}
          onConfirm={() => void revoke()}
          onCancel={() => setAsks(false)}
        >
          {t`Whatever uses ${name} is refused from then on.`}
        </Confirmation>
      )}
    </li>
  )
}

function Moment({ time }: { readonly time: string }): ReactNode {
  return <time dateTime={time}>{timeText(time)}</time>
}

function TokenForm({ onMade }: { onMade(token: MadeToken): void }): ReactNode {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<string>('talk')
  const [expires, setExpires] = useState('30d')
  const [person, setPerson] = useState('')
  const { data } = useResource<PeopleList>(PEOPLE)
  const people = data?.people ?? []
  const offered = scopesFor(people.find((each) => each.name === person))
  const chosen = offered.some(({ value }) => value === scope) ? scope : 'talk'
  const { busy, error, act } = useAction()
  const make = (event: FormEvent): Promise<void> => {
    event.preventDefault()
    return act(async () => {
      const until = expires === '' ? {} : { expires }
      onMade(
        await api<MadeToken>(TOKENS, {
          method: 'POST',
          body: { name: name.trim(), scope: chosen, ...until, ...(person === '' ? {} : { person }) },
        }),
      )
      setName('')
    })
  }
  return (
    <form aria-label={t`A token for another`} onSubmit={(event) => void make(event)} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField
          label={t`Name`}
          required
          maxLength={64}
          autoComplete="off"
          placeholder={t`phone`}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Select label={t`May`} options={offered} value={chosen} onChange={({ target }) => setScope(target.value)} />
        <Select
          label={t`Expires`}
          options={expiries}
          value={expires}
          onChange={({ target }) => setExpires(target.value)}
        />
        {people.length > 0 && (
          <Select
            label={t`Opens the home of`}
            options={[
              { value: '', title: t`you, the owner` },
              ...people.map((each) => ({ value: each.name, title: each.name })),
            ]}
            value={person}
            onChange={({ target }) => setPerson(target.value)}
          />
        )}
      </div>
      {error && <ErrorNote error={error} />}
      <div>
        <Button type="submit" look="plain" disabled={busy}>
          {t`Make the token`}
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
  /** Whose home it opens. Absent: that of the owner. */
  readonly person?: string
  /** It signs one browser of that person in, once. */
  readonly invites?: true
}

/** The scopes that the maker of a token can choose. */
const scopes: readonly { readonly value: TokenScope; readonly title: string }[] = [
  { value: 'read', title: t`read` },
  { value: 'talk', title: t`read and talk` },
  { value: 'approve', title: t`read, talk and approve` },
  { value: 'admin', title: t`do everything` },
  { value: 'mcp', title: t`use MCP alone` },
]

/** Those that a token of this person can have; all where it opens the home of the owner. */
function scopesFor(person: ListedPerson | undefined): typeof scopes {
  if (person === undefined) return scopes
  return scopes.filter(({ value }) => value !== 'admin' && (value !== 'approve' || person.role === 'member'))
}

const expiries = [
  { value: '1d', title: t`in a day` },
  { value: '30d', title: t`in 30 days` },
  { value: '365d', title: t`in a year` },
  { value: '', title: t`never` },
] as const

/** What a token is for, in words. */
export function scopeTitle(scope: string): string {
  const title = scopes.find(({ value }) => value === scope)?.title
  return title === undefined ? scope : t`may ${title}`
}
