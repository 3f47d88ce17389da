import { type FormEvent, type ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { SubjectDetail } from './subjects-detail.tsx'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextArea, TextField } from '../parts/fields.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongList } from '../parts/long-text.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { type ListedSubject, subjectHref } from './subjects-kind.ts'
import { SubjectProposals } from './subjects-proposals.tsx'
import { useDraft, type Versioned } from './version-draft.ts'
import { useAction } from '../parts/use-action.ts'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

export default function SubjectsPage(): ReactNode {
  const [search] = useSearchParams()
  const id = search.get('id')
  return id === null ? <SubjectList /> : <SubjectDetail key={id} id={id} />
}

/** How often the list is read again, ms: a model proposes when it likes to. */
const AGAIN_MS = 3_000

/** Every subject, the proposals that wait, and a form for a new one. */
function SubjectList(): ReactNode {
  const { data, error, mutate } = useResource<{ readonly subjects: readonly ListedSubject[] }>('/api/subjects', {
    refreshInterval: AGAIN_MS,
  })
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {t`A subject is anything with a context of its own: a brief, notes, a log and your tastes.`}
      </p>
      {error && <ErrorNote error={error} />}
      {data === undefined && !error && <Spinner />}
      {data?.subjects.length === 0 && <Empty>{t`There is no subject yet. Name the first one below.`}</Empty>}
      {data !== undefined && data.subjects.length > 0 && (
        <ul aria-label={t`Subjects`} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          <LongList
            items={data.subjects}
            wrap={(more) => <li className="p-2">{more}</li>}
            draw={({ id, title, updated, waiting }) => (
              <li key={id}>
                <Link href={subjectHref(id)} className="flex flex-col gap-0.5 px-3 py-2 hover:bg-sunken">
                  <span className="flex flex-wrap items-baseline gap-x-2">
                    <span className="font-medium">{id}</span>
                    {waiting > 0 && (
                      <span className="text-sm text-warn">
                        {waiting === 1 ? t`One proposal waits` : t`${waiting} proposals wait`}
                      </span>
                    )}
                  </span>
                  <span className="text-sm text-soft" dir="auto">
                    {[title, ...(updated === '' ? [] : [timeText(updated)])].filter((part) => part !== '').join(' · ')}
                  </span>
                </Link>
              </li>
            )}
          />
        </ul>
      )}
      <NewSubject />
      <SubjectProposals onDecided={() => void mutate()} />
    </div>
  )
}

const nothing: Versioned<{ readonly id: string; readonly brief: string }> = { version: 0, value: { id: '', brief: '' } }

function NewSubject(): ReactNode {
  const draft = useDraft('subject/new', nothing)
  const { id, brief } = draft.value
  const { error, act } = useAction()
  const [, navigate] = useLocation()
  const create = (event: FormEvent): Promise<void> => {
    event.preventDefault()
    return act(async () => {
      await api('/api/subjects', { method: 'POST', body: { id, ...(brief.trim() !== '' && { brief }) } })
      draft.saved(draft.value, { version: 0 })
      navigate(subjectHref(id))
    })
  }
  return (
    <Fold summaryClassName="font-medium" summary={draft.changed ? t`New subject, not created yet` : t`New subject`}>
      <form aria-label={t`New subject`} className="mt-3 flex flex-col gap-4" onSubmit={(event) => void create(event)}>
        <TextField
          label={t`Id`}
          required
          maxLength={200}
          pattern="[\w.\-]+"
          hint={t`Name of its folder: letters, digits, _, . and -.`}
          value={id}
          onChange={({ target }) => draft.set({ id: target.value, brief })}
        />
        <TextArea
          label={t`Brief`}
          hint={t`What it is and what it should become. \`Tastes: [night, sea]\` names the tastes that apply.`}
          value={brief}
          onChange={({ target }) => draft.set({ id, brief: target.value })}
        />
        {error && <ErrorNote error={error} />}
        <div>
          <Button type="submit">{t`Create the subject`}</Button>
        </div>
      </form>
    </Fold>
  )
}
