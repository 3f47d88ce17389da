import { type ReactNode, useState } from 'react'
import { useSWRConfig } from 'swr'
import type { WaitingChange } from '../../../src/capability.ts'
import { api, type ApiError } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { DiffLines } from '../parts/diff-lines.tsx'
import { ErrorNote } from '../parts/error-note.tsx'

/** Files that were changed by other means and let through more: each is shown with its difference before it is accepted. */
export function WaitingFiles(): ReactNode {
  const { data, error } = useResource<{ readonly waiting: readonly WaitingChange[] }>('/api/acceptance')
  if (error) return <ErrorNote error={error} />
  // Definitions of servers have a section of their own.
  const waiting = data?.waiting.filter(({ kind }) => kind !== 'tool') ?? []
  if (waiting.length === 0) return null
  return (
    <section aria-label="Changes that wait" className="flex flex-col gap-3 rounded-lg border border-warn p-3">
      <div>
        <h2 className="font-semibold text-warn">Changes that wait</h2>
        <p className="text-sm text-soft">
          Something else than Foreword changed these files, and they let a model do more than you accepted. That does
          not count until you accept the difference.
        </p>
      </div>
      {waiting.map((each) => (
        <WaitingFile key={`${each.name} ${each.digest}`} change={each} />
      ))}
    </section>
  )
}

function WaitingFile({ change }: { readonly change: WaitingChange }): ReactNode {
  const { name, digest, words, difference } = change
  const { mutate } = useSWRConfig()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const accept = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await api('/api/acceptance', { method: 'POST', body: { name, digest } })
    } catch (failure) {
      setError(failure as ApiError)
    } finally {
      setBusy(false)
      await Promise.all(['/api/acceptance', '/api/tools', '/api/tool-access'].map((path) => mutate(path)))
    }
  }
  return (
    <article aria-label={name} className="flex flex-col gap-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 font-mono break-words">{name}</h3>
        <Button look="plain" disabled={busy} aria-label={`Accept ${name}`} onClick={() => void accept()}>
          Accept
        </Button>
      </div>
      {error && <ErrorNote error={error} />}
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {words.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <DiffLines diff={difference} />
    </article>
  )
}
