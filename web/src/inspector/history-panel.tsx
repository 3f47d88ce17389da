import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { type CallPage, type LayerHistory, type Preview, type ReportedManifest, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select } from '../parts/fields.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { TextDifference } from './compare-text.tsx'
import type { Inspected } from './share-late-panel.tsx'

/** How a layer changed from call to call, and which calls read which version of it. */
export default function HistoryPanel({ session, call }: Inspected): ReactNode {
  const [chosen, setChosen] = useState<string>()
  const [everywhere, setEverywhere] = useState(false)
  const layers = useLayers({ session, call })
  const layer = chosen !== undefined && layers.includes(chosen) ? chosen : layers[0]
  const query = session === undefined || everywhere ? '' : `?session=${encodeURIComponent(session)}`
  const { data, error } = useResource<LayerHistory>(
    layer === undefined ? undefined : `/api/layers/${encodeURIComponent(layer)}/history${query}`,
  )
  if (layer === undefined) return <p className="text-sm text-soft">No layer has been sent yet.</p>
  return (
    <div className="flex flex-col gap-3 text-sm">
      <Select
        label="Layer"
        value={layer}
        options={layers.map((name) => ({ value: name, title: name }))}
        onChange={({ target }) => setChosen(target.value)}
      />
      {session !== undefined && (
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={everywhere} onChange={({ target }) => setEverywhere(target.checked)} />
          In all sessions
        </label>
      )}
      {error && <ErrorNote error={error} />}
      {data === undefined ? error === undefined && <Spinner /> : <Versions history={data} />}
    </div>
  )
}

function Versions({ history: { versions, calls } }: { readonly history: LayerHistory }): ReactNode {
  if (versions.length === 0) return <p className="text-soft">None of the newest {calls} calls had this layer.</p>
  return (
    <ol aria-label="Versions, newest first" className="flex flex-col gap-3">
      {versions.map((version, index) => (
        <li key={version.digest} className="rounded-lg border border-line p-3">
          <Version {...version} number={versions.length - index} earlier={versions[index + 1]?.text} />
        </li>
      ))}
    </ol>
  )
}

type VersionProps = LayerHistory['versions'][number] & {
  readonly number: number
  /** The text of the version before it. */
  readonly earlier: string | undefined
}

function Version({ number, digest, text, origin, readers, earlier }: VersionProps): ReactNode {
  const [open, setOpen] = useState(false)
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">Version {number}</span>
        <span className="font-mono text-xs text-soft" title={digest}>
          {digest.slice(0, 12)}
        </span>
      </p>
      {origin && <p className="text-soft wrap-anywhere">{`${origin.kind}: ${origin.ref}`}</p>}
      <p className="mt-1">Read by {readers.length === 1 ? 'one call' : `${readers.length} calls`}:</p>
      <ul className="flex max-h-32 flex-wrap gap-x-3 overflow-auto">
        {readers.map(({ call, session, time }) => (
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
          </li>
        ))}
      </ul>
      <details className="mt-1" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="cursor-pointer text-soft">
          {earlier === undefined ? 'Its text' : 'What changed from the version before'}
        </summary>
        {open && <TextDifference before={earlier ?? text} after={text} />}
      </details>
    </>
  )
}

/** Names of the layers of a call: of the open one, the newest of the session, or the next. */
function useLayers({ session, call }: Pick<Inspected, 'session' | 'call'>): readonly string[] {
  const { data: page } = useResource<CallPage>(
    session === undefined || call !== undefined
      ? undefined
      : `/api/sessions/${encodeURIComponent(session)}/calls?limit=1`,
  )
  const at = call ?? page?.calls.at(-1)?.id
  const { data: made } = useResource<ReportedManifest>(
    at === undefined ? undefined : `/api/calls/${encodeURIComponent(at)}/manifest`,
  )
  const { data: next } = useResource<Preview>(session === undefined ? '/api/context' : undefined)
  const { entries = [] } = made ?? next?.manifest ?? {}
  const isLayer = ({ slot, layer }: (typeof entries)[number]): boolean =>
    ['system', 'preamble', 'before-input', 'after-input'].includes(slot) && layer !== 'attachment'
  return [...new Set(entries.filter(isLayer).map(({ layer }) => layer))]
}

function timeOf(time: string): string {
  return new Date(time).toLocaleString('en', { dateStyle: 'short', timeStyle: 'medium' })
}
