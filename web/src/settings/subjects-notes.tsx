import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { ExactText } from '../parts/exact-text.tsx'
import { Fold } from '../parts/fold.tsx'
import { count } from '../parts/numbers.ts'
import { useAction } from '../parts/use-action.ts'
import { subjectPath } from './subjects-kind.ts'

/** A page of notes: `GET /api/subjects/ID/notes`. */
interface NotesPage {
  readonly text: string
  readonly total: number
  readonly next_offset: number | null
}

/** The notes of a subject, page by page, and a summary of them where there is one to be made. */
export function SubjectNotes({ id, version }: { readonly id: string; readonly version: string }): ReactNode {
  return (
    <Fold summary="Notes">
      <div className="mt-2 flex flex-col gap-2">
        <Page key={version} id={id} offset={0} />
        <Summary id={id} />
      </div>
    </Fold>
  )
}

function Page({ id, offset }: { readonly id: string; readonly offset: number }): ReactNode {
  const { data, error } = useResource<NotesPage>(subjectPath(id, `/notes?offset=${offset}&limit=200`))
  const [more, setMore] = useState(false)
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return null
  const { text, total, next_offset: next } = data
  if (total === 0) return <p className="text-soft">There are no notes.</p>
  return (
    <>
      <ExactText label={`Notes from line ${offset + 1}`} text={text} />
      {next !== null &&
        (more ? (
          <Page id={id} offset={next} />
        ) : (
          <div>
            <Button look="plain" onClick={() => setMore(true)}>{`${count(total - next)} more lines`}</Button>
          </div>
        ))}
    </>
  )
}

function Summary({ id }: { readonly id: string }): ReactNode {
  const [made, setMade] = useState<{ readonly text: string; readonly model: string }>()
  const { busy, error, act } = useAction()
  const make = () => act(async () => setMade(await api(subjectPath(id, '/summary'), { method: 'POST' })))
  return (
    <>
      {error && <ErrorNote error={error} />}
      {made && (
        <div>
          <p className="text-soft">{`Summary by ${made.model}, which is read in place of long notes until they change:`}</p>
          <p dir="auto" className="whitespace-pre-wrap">
            {made.text}
          </p>
        </div>
      )}
      <div>
        <Button look="plain" disabled={busy} onClick={() => void make()}>
          {busy ? 'The model summarizes …' : 'Summarize with a model'}
        </Button>
      </div>
    </>
  )
}
