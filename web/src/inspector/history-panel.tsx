import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { type LayerHistory, type LayerSources, type OptionList, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select } from '../parts/fields.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { TextDifference } from './compare-text.tsx'
import { EntryForm } from './entry-form.tsx'
import type { Inspected } from './inspected.ts'
import type { LayerSource } from '../../../src/capability.ts'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

/** How a layer, a file, a skill or an agent changed from call to call, and which calls read which version of it. */
export default function HistoryPanel({ session }: Inspected): ReactNode {
  const [chosen, setChosen] = useState<string>()
  const [everywhere, setEverywhere] = useState(false)
  const inSession: Readonly<Record<string, string>> = session === undefined || everywhere ? {} : { session }
  const { data: listed, error: unlisted } = useResource<LayerSources>(`/api/layers?${queryText(inSession)}`)
  const subjects = historySubjects(listed?.sources ?? [], useRecordNames())
  const subject = subjects.find(({ id }) => id === chosen) ?? subjects[0]
  const { data, error = unlisted } = useResource<LayerHistory>(
    subject &&
      `/api/layers/${encodeURIComponent(subject.layer)}/history?${queryText({ ...inSession, ...subject.query })}`,
  )
  if (unlisted) return <ErrorNote error={unlisted} />
  if (listed === undefined) return <Spinner />
  return (
    <div className="flex flex-col gap-3 text-sm">
      {subject === undefined ? (
        <p className="text-soft">{t`No layer has been sent yet.`}</p>
      ) : (
        <Select
          label={t`Layer, file, skill or agent`}
          value={subject.id}
          options={subjects.map(({ id, title }) => ({ value: id, title }))}
          onChange={({ target }) => setChosen(target.value)}
        />
      )}
      {session !== undefined && (
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={everywhere} onChange={({ target }) => setEverywhere(target.checked)} />
          {t`In all sessions`}
        </label>
      )}
      {error && <ErrorNote error={error} />}
      {subject !== undefined && (data === undefined ? error === undefined && <Spinner /> : <Versions history={data} />)}
    </div>
  )
}

function queryText(query: Readonly<Record<string, string>>): string {
  return new URLSearchParams(query).toString()
}

/** What people call agents and projects, by `KIND/ID`. */
function useRecordNames(): ReadonlyMap<string, string> {
  const { data: agents } = useResource<OptionList>('/api/choices/agent')
  const { data: projects } = useResource<OptionList>('/api/choices/project')
  const named = (kind: string, list: OptionList | undefined) =>
    (list?.options ?? []).flatMap(({ id, name }) => (name === undefined ? [] : [[`${kind}/${id}`, name] as const]))
  return new Map([...named('agent', agents), ...named('project', projects)])
}

function Versions({ history: { versions, calls } }: { readonly history: LayerHistory }): ReactNode {
  if (versions.length === 0) return <p className="text-soft">{t`None of the newest ${calls} calls had this layer.`}</p>
  return (
    <ol aria-label={t`Versions, newest first`} className="flex flex-col gap-3">
      {versions.map((version, index) => {
        const earlier = versions.slice(index + 1).filter(({ id }) => id === version.id)
        return (
          <li key={`${version.id} ${version.digest}`} className="rounded-lg border border-line p-3">
            <Version {...version} number={earlier.length + 1} earlier={earlier[0]?.text} />
          </li>
        )
      })}
    </ol>
  )
}

type VersionProps = LayerHistory['versions'][number] & {
  readonly number: number
  /** The text of the version before it. */
  readonly earlier: string | undefined
}

function Version({ number, layer, digest, text, origin, readers, earlier }: VersionProps): ReactNode {
  const [open, setOpen] = useState(false)
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">{t`Version ${number}`}</span>
        <span className="font-mono text-xs text-soft" title={digest}>
          {digest.slice(0, 12)}
        </span>
      </p>
      <p className="text-soft wrap-anywhere">{origin ? t`${layer}, from ${origin.ref}` : layer}</p>
      <p className="mt-1">{readers.length === 1 ? t`Read by one call:` : t`Read by ${readers.length} calls:`}</p>
      <ul className="flex max-h-32 flex-wrap gap-x-3 overflow-auto">
        {readers.map(({ call, session, time, form }) => (
          <li key={call}>
            {session === undefined ? (
              timeOf(time)
            ) : (
              <Link
                className="text-accent underline"
                href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(call)}`}
              >
                {timeOf(time)}
              </Link>
            )}
            {form !== 'full' && (
              <span className="text-soft">
                {' ('}
                <EntryForm form={form} />)
              </span>
            )}
          </li>
        ))}
      </ul>
      <details className="mt-1" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="cursor-pointer text-soft">
          {earlier === undefined ? t`Its text` : t`What changed from the version before`}
        </summary>
        {open && <TextDifference before={earlier ?? text} after={text} />}
      </details>
    </>
  )
}

function timeOf(time: string): string {
  return timeText(time, { dateStyle: 'short', timeStyle: 'medium' })
}

/** Something that has a history: a layer, a part of one, or what several layers come from. */
interface HistorySubject {
  /** The same for the same subject. */
  readonly id: string
  readonly title: string
  /** LAYER in `GET /api/layers/LAYER/history`. */
  readonly layer: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * What can be looked at: each layer, with the file that it is read from, each named part of one, such as a skill, and each record
 * that layers come from, such as an agent. `names`: what people call a record, by `KIND/ID`.
 */
function historySubjects(
  sources: readonly LayerSource[],
  names: ReadonlyMap<string, string>,
): readonly HistorySubject[] {
  const layers = sources.map(({ layer, origin }) => {
    const file = origin && /\.\w+$/.test(origin.ref) ? ` (${origin.ref})` : ''
    return { id: layer, title: `${layer}${file}`, layer, query: {} }
  })
  const parts = sources.flatMap((source) =>
    source.parts.map((part) => ({
      id: `${source.layer}/${part}`,
      title: `${part} (${source.layer})`,
      layer: source.layer,
      query: { part },
    })),
  )
  const records = sources.flatMap(({ origin }) => {
    const [, kind] = /^([a-z]+)\/[^/.]+$/.exec(origin?.ref ?? '') ?? []
    if (origin === undefined || kind === undefined) return []
    const title = `${names.get(origin.ref) ?? origin.ref.slice(kind.length + 1)} (${kind})`
    return [{ id: origin.ref, title, layer: '*', query: { origin: origin.ref } }]
  })
  // Of several with one id the newest has its title.
  return [
    ...new Map([...layers, ...parts, ...records].toReversed().map((subject) => [subject.id, subject])).values(),
  ].toReversed()
}
