import { type ReactNode, useState, type FormEvent } from 'react'
import { useResource } from '../api/resources.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { Button } from '../parts/button.tsx'
import { CopyLine } from '../parts/copy-text.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { timeText } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { type Invitation, PEOPLE, type PeopleList, type ListedPerson, roles, roleWords } from './people-kind.ts'
import { PersonRow } from './people-row.tsx'
import type { PersonRole } from '../../../src/capability/token-scope.ts'
import { api } from '../api/client.ts'
import { Select, TextField } from '../parts/fields.tsx'
import { useAction } from '../parts/use-action.ts'

/** The other people of this gateway, for its owner: who they are and what they use, and nothing of what they say. */
export default function PeoplePage(): ReactNode {
  const { data, error, mutate } = useResource<PeopleList>(PEOPLE)
  const [invited, setInvited] = useState<{ readonly name: string; readonly invitation: Invitation }>()
  const invite = (name: string, invitation: Invitation | undefined): void => {
    setInvited(invitation && { name, invitation })
    void mutate()
  }
  const onRemoved = (name: string): void => {
    if (invited?.name === name) setInvited(undefined)
    void mutate()
  }
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {t`Each person has sessions, files, memory and limits of their own on this gateway. You see what they use, and nothing of what they say.`}
      </p>
      {error && data === undefined && <ErrorNote error={error} />}
      {!error && data === undefined && <Spinner />}
      {data?.people.length === 0 && (
        <Empty>{t`Nobody but you uses this gateway yet. Add the first person below.`}</Empty>
      )}
      {data !== undefined && data.people.length > 0 && (
        <ul aria-label={t`People`} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {data.people.map((person) => (
            <PersonRow
              key={person.name}
              person={person}
              onChanged={() => void mutate()}
              onInvited={(invitation) => invite(person.name, invitation)}
              onRemoved={() => onRemoved(person.name)}
            />
          ))}
        </ul>
      )}
      {invited && <NewInvitation key={invited.invitation.path} {...invited} />}
      <NewPerson onAdded={({ name, invitation }) => invite(name, invitation)} />
    </div>
  )
}

interface NewInvitationProps {
  readonly name: string
  readonly invitation: Invitation
}

/** The link of an invitation, which no later answer contains. */
function NewInvitation({ name, invitation: { path, expires } }: NewInvitationProps): ReactNode {
  const { hostname, origin } = location
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg border border-good px-3 py-2 text-sm">
      <p>{t`Copy this link now and send it to ${name}: it is not shown again.`}</p>
      <CopyLine text={`${origin}${path}`} />
      <p className="text-soft">
        {rich`It signs one browser in, once, until ${<time dateTime={expires}>{timeText(expires)}</time>}. The first who opens it is ${name} here.`}
      </p>
      {/^(?:localhost|127\.|\[::1\])/.test(hostname) && (
        <p className="text-warn">
          {t`${hostname} is reached from this machine alone. On another one, the link has to begin with the address at which this gateway is reached from there.`}
        </p>
      )}
    </div>
  )
}

type AddedPerson = ListedPerson & { readonly invitation?: Invitation }

/** The form for another person. */
function NewPerson({ onAdded }: { onAdded(person: AddedPerson): void }): ReactNode {
  const [name, setName] = useState('')
  const [role, setRole] = useState<PersonRole>('member')
  const [email, setEmail] = useState('')
  const { busy, error, act } = useAction()
  const add = (event: FormEvent): Promise<void> => {
    event.preventDefault()
    return act(async () => {
      const address = email.trim() === '' ? {} : { email: email.trim() }
      onAdded(await api<AddedPerson>(PEOPLE, { method: 'POST', body: { name: name.trim(), role, ...address } }))
      setName('')
      setEmail('')
    })
  }
  return (
    <form aria-label={t`Another person`} onSubmit={(event) => void add(event)} className="flex flex-col gap-3 text-sm">
      <h2 className="text-lg font-semibold">{t`Add a person`}</h2>
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField
          label={t`Name`}
          hint={t`Small letters, digits and single dashes.`}
          required
          maxLength={32}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={t`ann`}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Select
          label={t`Role`}
          hint={roleWords[role]}
          options={roles}
          value={role}
          onChange={({ target }) => setRole(target.value as PersonRole)}
        />
        <TextField
          label={t`Email`}
          hint={t`Not needed: nothing is sent to it.`}
          type="email"
          autoComplete="off"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </div>
      {error && <ErrorNote error={error} />}
      <div>
        <Button type="submit" look="plain" disabled={busy}>
          {t`Add and make an invitation`}
        </Button>
      </div>
    </form>
  )
}
