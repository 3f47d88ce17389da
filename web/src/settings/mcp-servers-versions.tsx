import { type ReactNode, useState } from 'react'
import type { FileVersion } from '../../../src/capability.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { SERVERS } from './mcp-servers-list.ts'
import { ServerReview } from './mcp-servers-review.tsx'

/** The servers as they were configured before. Each version is put back as a whole, after its difference was shown. */
export function ServerVersions(): ReactNode {
  const { data, error } = useResource<{ readonly versions: readonly FileVersion[] }>(`${SERVERS}/versions`)
  const [chosen, setChosen] = useState<number>()
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const earlier = data.versions.slice(1)
  if (earlier.length === 0) return <p className="text-sm text-soft">The servers were not changed here yet.</p>
  const close = (): void => setChosen(undefined)
  return (
    <ul className="divide-y divide-line text-sm">
      {earlier.map(({ version, time, text }) => (
        <li key={version} className="flex flex-col gap-2 py-2">
          <div className="flex flex-wrap items-center gap-x-3">
            <time dateTime={time}>{new Date(time).toLocaleString('en')}</time>
            <span className="min-w-0 grow break-words text-soft">{namesIn(text)}</span>
            <Button
              look="plain"
              aria-label={`Put back the servers of ${new Date(time).toLocaleString('en')}`}
              onClick={() => setChosen(version)}
            >
              Put back
            </Button>
          </div>
          {chosen === version && (
            <ServerReview change={{ version }} action="Put back" onSaved={close} onCancel={close} />
          )}
        </li>
      ))}
    </ul>
  )
}

function namesIn(text: string): string {
  const names = Object.keys(JSON.parse(text) as object)
  return names.length === 0 ? 'no server' : names.join(', ')
}
