import { type ReactNode, useState, type FormEvent } from 'react'
import { api } from '../api/client.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { Button } from '../parts/button.tsx'
import { Confirmation } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { bytes, dollars, price, timeText } from '../parts/numbers.ts'
import { useAction } from '../parts/use-action.ts'
import { type Invitation, type ListedPerson, PEOPLE, roles, namesIn } from './people-kind.ts'
import { TextField } from '../parts/fields.tsx'

interface PersonRowProps {
  readonly person: ListedPerson
  onChanged(): void
  onInvited(invitation: Invitation): void
  onRemoved(): void
}

/** One person: what they use, and what the owner can do about them. */
export function PersonRow({ person, onChanged, onInvited, onRemoved }: PersonRowProps): ReactNode {
  const { name, role, email, groups = [], signsIn } = person
  const [asks, setAsks] = useState(false)
  const [groupsOpen, setGroupsOpen] = useState(false)
  const { busy, error, act } = useAction()
  const path = `${PEOPLE}/${encodeURIComponent(name)}`
  const change = (next: string): Promise<void> =>
    act(async () => {
      await api(path, { method: 'PATCH', body: { role: next } })
      onChanged()
    })
  const invite = (): Promise<void> =>
    act(async () => onInvited(await api<Invitation>(`${path}/invitation`, { method: 'POST', body: {} })))
  const remove = (): Promise<void> =>
    act(async () => {
      await api(path, { method: 'DELETE' })
      onRemoved()
    })
  return (
    <li aria-label={name} className="flex flex-col gap-2 px-3 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <p className="break-words">
            <span className="font-medium">{name}</span>
            {email !== undefined && <span className="text-soft">{` · ${email}`}</span>}
          </p>
          <Usage person={person} />
          {groups.length > 0 && <p className="text-xs break-words text-soft">{t`Groups: ${groups.join(', ')}`}</p>}
        </div>
        <select
          aria-label={t`Role of ${name}`}
          value={role}
          disabled={busy}
          onChange={({ target }) => void change(target.value)}
          className="rounded-lg border border-strong-line bg-ground px-2 py-1"
        >
          {roles.map(({ value, title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </div>
      {error && <ErrorNote error={error} />}
      {groupsOpen && (
        <PersonGroups
          person={person}
          onCancel={() => setGroupsOpen(false)}
          onChanged={() => {
            setGroupsOpen(false)
            onChanged()
          }}
        />
      )}
      {asks ? (
        <Confirmation
          action={t`Remove ${name} now`}
          busy={busy}
          onConfirm={() => void remove()}
          onCancel={() => setAsks(false)}
        >
          {t`Every browser and token of ${name} is refused at once, and the home is deleted: all sessions, files and memory. It cannot be undone; backups made before still have them.`}
        </Confirmation>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button look="plain" aria-label={t`New invitation for ${name}`} disabled={busy} onClick={() => void invite()}>
            {t`New invitation`}
          </Button>
          {!signsIn && !groupsOpen && (
            <Button look="plain" aria-label={t`Change the groups of ${name}`} onClick={() => setGroupsOpen(true)}>
              {t`Groups`}
            </Button>
          )}
          <Button look="plain" aria-label={t`Remove ${name}`} disabled={busy} onClick={() => setAsks(true)}>
            {t`Remove`}
          </Button>
        </div>
      )}
    </li>
  )
}

function Usage({ person: { usage } }: { readonly person: ListedPerson }): ReactNode {
  if (usage === undefined)
    return <p className="text-xs text-warn">{t`What they use is not known: their home could not be opened.`}</p>
  const { updated } = usage
  if (updated === undefined) return <p className="text-xs text-soft">{t`Has not said anything yet.`}</p>
  const words = [...callWords(usage), ...fileWords(usage)]
  return (
    <p className="text-xs text-soft tabular-nums">
      {words.map((each) => `${each} · `)}
      {rich`last active ${<time dateTime={updated}>{timeText(updated)}</time>}`}
    </p>
  )
}

function callWords(usage: NonNullable<ListedPerson['usage']>): readonly string[] {
  const { sessions, prompt = 0, output = 0 } = usage
  if (sessions === undefined) return []
  return [sessions === 1 ? t`1 session` : t`${sessions} sessions`, t`${prompt + output} tokens`, ...costWords(usage)]
}

function fileWords({ files, fileBytes }: NonNullable<ListedPerson['usage']>): readonly string[] {
  if (files === 0) return []
  return [files === 1 ? `${t`1 file`}, ${bytes(fileBytes)}` : t`${files} files, ${bytes(fileBytes)}`]
}

/** Nothing is 0 because its price is not known. */
function costWords({ money, unpriced = 0, calls }: NonNullable<ListedPerson['usage']>): readonly string[] {
  if (calls === 0) return []
  if (money === undefined || (money === 0 && unpriced > 0)) return [t`cost not known`]
  return [unpriced > 0 ? t`at least ${dollars(money)}` : price(money)]
}

interface PersonGroupsProps {
  readonly person: ListedPerson
  onChanged(): void
  onCancel(): void
}

/** The groups of a person, with which agents, projects and templates can be shared. */
function PersonGroups({ person: { name, groups = [] }, onChanged, onCancel }: PersonGroupsProps): ReactNode {
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
