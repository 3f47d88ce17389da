import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { t } from '../language/language.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { useAction } from '../parts/use-action.ts'
import { type ListedPerson, namesIn, PEOPLE } from './people-kind.ts'

interface PersonGroupsProps {
  readonly person: ListedPerson
  onChanged(): void
  onCancel(): void
}

/** The groups of a person, with which agents, projects and templates can be shared. */
export function PersonGroups({ person: { name, groups = [] }, onChanged, onCancel }: PersonGroupsProps): ReactNode {
  const [text, setText] = useState(groups.join(', '))
  const { busy, error, act } = useAction()
  const save = (event: FormEvent): Promise<void> => {
    event.preventDefault()
    return act(async () => {
      await api(`${PEOPLE}/${encodeURIComponent(name)}`, { method: 'PATCH', body: { groups: namesIn(text) } })
      onChanged()
    })
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-2">
      <TextField
        label={t`Groups of ${name}`}
        hint={t`Names, with commas between them. An agent, a project or a template can be shared with a group.`}
        placeholder={t`divers, captains`}
        autoFocus
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={busy}>
          {t`Save`}
        </Button>
        <Button look="plain" onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  )
}
