import type { PersonRole } from '../../../src/capability/token-scope.ts'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { t } from '../language/language.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select, TextField } from '../parts/fields.tsx'
import { useAction } from '../parts/use-action.ts'
import { type Invitation, type ListedPerson, PEOPLE, roles, roleWords } from './people-kind.ts'

type AddedPerson = ListedPerson & { readonly invitation?: Invitation }

/** The form for another person. */
export function NewPerson({ onAdded }: { onAdded(person: AddedPerson): void }): ReactNode {
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
