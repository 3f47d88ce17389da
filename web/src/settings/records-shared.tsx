import { type ReactNode, useState } from 'react'
import { useResource } from '../api/resources.ts'
import { Select, TextField } from '../parts/fields.tsx'
import { ExactText } from '../parts/long-text.tsx'
import type { NamedValue, RecordsKind } from './records-kind.ts'
import { namesIn, PEOPLE, type PeopleList } from './people-kind.ts'
import { t } from '../language/language.ts'

interface SharedWithProps {
  /** As the gateway keeps it: names of people, `group:NAME`, or `*`. Absent: nobody. */
  readonly value: readonly string[] | undefined
  set(value: readonly string[] | undefined): void
}

const EVERYBODY = '*'

/** With whom the owner shares a record. Nothing is drawn where nobody else uses the gateway. */
export function SharedWith({ value, set }: SharedWithProps): ReactNode {
  const { data } = useResource<PeopleList>(PEOPLE)
  const [some, setSome] = useState(value !== undefined && !value.includes(EVERYBODY))
  const [text, setText] = useState(() => (value ?? []).filter((each) => each !== EVERYBODY).join(', '))
  if ((data?.people.length ?? 0) === 0 && value === undefined) return null
  const choose = (choice: string): void => {
    setSome(choice === 'some')
    set(choice === 'all' ? [EVERYBODY] : choice === 'some' ? listed(text) : undefined)
  }
  return (
    <>
      <Select
        label={t`Shared with`}
        hint={t`They can read and use it, and not change it. Nobody sees who else has it.`}
        value={some ? 'some' : value === undefined ? 'nobody' : 'all'}
        options={[
          { value: 'nobody', title: t`Nobody` },
          { value: 'all', title: t`Everybody on this gateway` },
          { value: 'some', title: t`Some people` },
        ]}
        onChange={({ target }) => choose(target.value)}
      />
      {some && (
        <TextField
          label={t`People and groups`}
          hint={t`Names, with commas between them. group:divers is the group of that name.`}
          placeholder={t`ann, group:divers`}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            set(listed(target.value))
          }}
        />
      )}
    </>
  )
}

/** `undefined` where nobody is named. */
function listed(text: string): readonly string[] | undefined {
  const names = namesIn(text)
  return names.length === 0 ? undefined : names
}

/** With whom a version is shared is among what its text says. */
export function withSharing<Value extends NamedValue>(kind: RecordsKind<Value>): RecordsKind<Value> {
  const lines = ({ sharedWith }: Value): readonly string[] =>
    sharedWith === undefined ? [] : [`${t`shared with`}: ${sharedWith.join(', ')}`]
  return { ...kind, textOf: (value) => [kind.textOf(value), ...lines(value)].join('\n') }
}

/** A record of the owner, for somebody who can only read it. */
export function SharedRecord({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <>
      <h2 className="text-lg font-semibold" dir="auto">
        {name}
      </h2>
      <p className="text-soft">{t`The owner of this gateway shares this with you. You can use it, and not change it.`}</p>
      <ExactText label={name} text={text} />
    </>
  )
}
