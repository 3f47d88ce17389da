import { type FormEvent, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '../api/caller.ts'
import { useResource } from '../api/resources.ts'
import { WarningList, ErrorNote } from '../parts/error-note.tsx'
import { ExactText } from '../parts/long-text.tsx'
import { Fold } from '../parts/fold.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { SentLayer } from './version-sent.tsx'
import { type Subject, subjectPath } from './subjects-kind.ts'
import { SubjectProposals } from './subjects-proposals.tsx'
import { api } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'
import { useAction } from '../parts/use-action.ts'
import { andText, timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

/** One subject: what a model reads of it, its files, its log, and the proposals about it. */
export function SubjectDetail({ id }: { readonly id: string }): ReactNode {
  const { data, error, mutate } = useResource<Subject>(subjectPath(id))
  return (
    <div className="flex flex-col gap-6">
      <Link href="/settings/subjects" className="text-sm text-accent underline">
        {t`All subjects`}
      </Link>
      {error && <ErrorNote error={error} />}
      {data === undefined && !error && <Spinner />}
      {data !== undefined && <Content subject={data} readAgain={() => void mutate()} />}
    </div>
  )
}

function Content({ subject, readAgain }: { readonly subject: Subject; readAgain(): void }): ReactNode {
  const { id, title, context, warnings } = subject
  const { brief, tastes } = context
  const isOwner = useMay('admin')
  const genres = Object.entries(tastes.genres)
  return (
    <>
      <div>
        <h2 className="text-lg font-semibold">{id}</h2>
        {title !== '' && (
          <p className="text-soft" dir="auto">
            {title}
          </p>
        )}
      </div>
      <WarningList warnings={warnings} />
      <SentLayer
        layer="subject"
        body={{ subject: id }}
        version={JSON.stringify(context)}
        none={t`With the model and the layout that are configured, nothing of it is sent.`}
      />
      <SubjectProposals subject={id} onDecided={readAgain} />
      <section aria-label={t`Files`} className="flex flex-col gap-2 text-sm">
        <h2 className="text-lg font-semibold">{t`Its files`}</h2>
        <p className="text-soft">
          {isOwner
            ? t`They are files: edit them with any editor. The next turn reads them.`
            : t`They are files of your home on this gateway. The next turn reads them.`}
        </p>
        <Text title={t`Brief`} text={brief.raw} />
        <SubjectNotes id={id} version={JSON.stringify(context)} />
        <Text title={t`Taste that always applies`} text={tastes.default} />
        {genres.map(([name, text]) => (
          <Text key={name} title={t`Taste ${name}`} text={text} />
        ))}
        {tastes.conflicts.map(({ point, files }) => (
          <p key={point} className="text-warn">{t`“${point}” is in ${andText(files)}.`}</p>
        ))}
      </section>
      <SubjectLog subject={subject} readAgain={readAgain} />
    </>
  )
}

function Text({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  if (text.trim() === '') return <p className="text-soft">{t`${title}: empty.`}</p>
  return (
    <Fold summary={title}>
      <div className="mt-2">
        <ExactText label={title} text={text} />
      </div>
    </Fold>
  )
}

/** The newest lines of the log of a subject and of its gaps, and a form for another line. */
function SubjectLog({
  subject: { id, context },
  readAgain,
}: {
  readonly subject: Subject
  readAgain(): void
}): ReactNode {
  const { recent_log: log, recent_gaps: gaps } = context
  return (
    <section aria-label={t`Log`} className="flex flex-col gap-3 text-sm">
      <h2 className="text-lg font-semibold">{t`Log`}</h2>
      <NewLine id={id} readAgain={readAgain} />
      {log.length === 0 && <p className="text-soft">{t`Nothing was logged yet.`}</p>}
      <Lines
        label={t`Newest lines of the log`}
        lines={log.map(({ timestamp, op, details }) => ({
          timestamp,
          text: [op, ...detailTexts(details)].join(' · '),
        }))}
      />
      {gaps.length > 0 && <h3 className="font-medium">{t`What could not be done`}</h3>}
      <Lines
        label={t`Newest gaps`}
        lines={gaps.map(({ timestamp, description }) => ({ timestamp, text: description }))}
      />
    </section>
  )
}

function Lines({
  label,
  lines,
}: {
  readonly label: string
  readonly lines: readonly { readonly timestamp: string; readonly text: string }[]
}): ReactNode {
  if (lines.length === 0) return null
  return (
    <ul aria-label={label} className="flex flex-col divide-y divide-line rounded-lg border border-line">
      {lines.map(({ timestamp, text }, index) => (
        <li key={index} className="px-3 py-1.5">
          <p dir="auto">{text}</p>
          <time dateTime={timestamp} className="text-xs text-soft">
            {Number.isNaN(Date.parse(timestamp)) ? timestamp : timeText(timestamp)}
          </time>
        </li>
      ))}
    </ul>
  )
}

function NewLine({ id, readAgain }: { readonly id: string; readAgain(): void }): ReactNode {
  const [op, setOp] = useState('')
  const { error, act } = useAction()
  const add = (event: FormEvent): Promise<void> => {
    event.preventDefault()
    return act(async () => {
      await api(subjectPath(id, '/log'), { method: 'POST', body: { op } })
      setOp('')
      readAgain()
    })
  }
  return (
    <form aria-label={t`New line of the log`} className="flex flex-col gap-2" onSubmit={(event) => void add(event)}>
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label={t`What was done`}
            maxLength={200}
            value={op}
            onChange={({ target }) => setOp(target.value)}
          />
        </div>
        <Button type="submit" look="plain" disabled={op.trim() === ''}>
          {t`Add to the log`}
        </Button>
      </div>
      {error && <ErrorNote error={error} />}
    </form>
  )
}

function detailTexts(details: object): readonly string[] {
  return Object.entries(details).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
}

/** A page of notes: `GET /api/subjects/ID/notes`. */
interface NotesPage {
  readonly text: string
  readonly total: number
  readonly next_offset: number | null
}

/** The notes of a subject, page by page, and a summary of them where there is one to be made. */
function SubjectNotes({ id, version }: { readonly id: string; readonly version: string }): ReactNode {
  return (
    <Fold summary={t`Notes`}>
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
  if (total === 0) return <p className="text-soft">{t`There are no notes.`}</p>
  return (
    <>
      <ExactText label={t`Notes from line ${offset + 1}`} text={text} />
      {next !== null &&
        (more ? (
          <Page id={id} offset={next} />
        ) : (
          <div>
            <Button look="plain" onClick={() => setMore(true)}>{t`${total - next} more lines`}</Button>
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
          <p className="text-soft">{t`Summary by ${made.model}, which is read in place of long notes until they change:`}</p>
          <p dir="auto" className="whitespace-pre-wrap">
            {made.text}
          </p>
        </div>
      )}
      <div>
        <Button look="plain" disabled={busy} onClick={() => void make()}>
          {busy ? t`The model summarizes …` : t`Summarize with a model`}
        </Button>
      </div>
    </>
  )
}
