import { type ReactNode, useState } from 'react'
import { useSWRConfig } from 'swr'
import type { ToolStatus } from '../../../src/capability.ts'
import { api, type ApiError } from '../api/client.ts'
import { TextDifference } from '../inspector/compare-text.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'

type Withheld = NonNullable<ToolStatus['withheld']>

/** Definitions that are not the ones that were accepted: each is shown with its difference before it is accepted. */
export function WithheldTools({ tools }: { readonly tools: readonly ToolStatus[] }): ReactNode {
  // What is declared in files is accepted with them.
  const withheld = tools.flatMap((tool) => tool.withheld ?? []).filter(({ declared }) => declared === undefined)
  if (withheld.length === 0) return null
  return (
    <section aria-label="Changed definitions" className="flex flex-col gap-3 rounded-lg border border-warn p-3">
      <div>
        <h2 className="font-semibold text-warn">Changed definitions</h2>
        <p className="text-sm text-soft">
          A server has changed what a model reads about these tools. They are withheld until you accept the difference.
        </p>
      </div>
      {withheld.map((each) => (
        <WithheldDefinition key={`${each.name} ${each.digest}`} withheld={each} />
      ))}
    </section>
  )
}

function WithheldDefinition({ withheld }: { readonly withheld: Withheld }): ReactNode {
  const { name, accepted, offered, digest } = withheld
  const { mutate } = useSWRConfig()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const accept = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await api(`/api/tools/${encodeURIComponent(name)}/accept`, { method: 'POST', body: { digest } })
    } catch (failure) {
      setError(failure as ApiError)
    } finally {
      setBusy(false)
      await Promise.all([mutate('/api/tools'), mutate('/api/mcp-servers')])
    }
  }
  return (
    <article aria-label={name} className="flex flex-col gap-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 font-mono break-words">{name}</h3>
        <span className="text-soft">
          {accepted === undefined ? 'New' : offered === undefined ? 'No longer provided' : 'Changed'}
        </span>
        <Button look="plain" disabled={busy} aria-label={`Accept ${name}`} onClick={() => void accept()}>
          Accept
        </Button>
      </div>
      {error && <ErrorNote error={error} />}
      <TextDifference before={written(accepted)} after={written(offered)} />
      <p className="text-xs break-all text-soft">{`Digest ${digest}`}</p>
    </article>
  )
}

function written(definition: Withheld['accepted']): string {
  return definition === undefined ? '' : JSON.stringify(definition, null, 2)
}
