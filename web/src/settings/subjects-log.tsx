import { type FormEvent, type ReactNode, useState } from 'react'
import { type ApiError, api } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { type Subject, subjectPath } from './subjects-kind.ts'
import { timeText } from './version-list.tsx'

/** The newest lines of the log of a subject and of its gaps, and a form for another line. */
export function SubjectLog({
  subject: { id, context },
  readAgain,
}: {
  readonly subject: Subject
  readAgain(): void
}): ReactNode {
  const { recent_log: log, recent_gaps: gaps } = context
  return (
    <section aria-label="Log" className="flex flex-col gap-3 text-sm">
      <h2 className="text-lg font-semibold">Log</h2>
      <NewLine id={id} readAgain={readAgain} />
      {log.length === 0 && <p className="text-soft">Nothing was logged yet.</p>}
      <Lines
        label="Newest lines of the log"
        lines={log.map(({ timestamp, op, details }) => ({
          timestamp,
          text: [op, ...detailTexts(details)].join(' · '),
        }))}
      />
      {gaps.length > 0 && <h3 className="font-medium">What could not be done</h3>}
      <Lines label="Newest gaps" lines={gaps.map(({ timestamp, description }) => ({ timestamp, text: description }))} />
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
  const [error, setError] = useState<ApiError>()
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(undefined)
    try {
      await api(subjectPath(id, '/log'), { method: 'POST', body: { op } })
      setOp('')
      readAgain()
    } catch (failure) {
      setError(failure as ApiError)
    }
  }
  return (
    <form aria-label="New line of the log" className="flex flex-col gap-2" onSubmit={(event) => void add(event)}>
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField label="What was done" maxLength={200} value={op} onChange={({ target }) => setOp(target.value)} />
        </div>
        <Button type="submit" look="plain" disabled={op.trim() === ''}>
          Add to the log
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
