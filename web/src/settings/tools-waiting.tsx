import type { ReactNode } from 'react'
import { useSWRConfig } from 'swr'
import type { ToolStatus, WaitingChange } from '../../../src/capability.ts'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { DiffLines } from '../parts/diff-lines.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { useAction } from '../parts/use-action.ts'
import { TextDifference } from '../inspector/compare-text.tsx'
import { t } from '../language/language.ts'

/** Files that were changed by other means and let through more: each is shown with its difference before it is accepted. */
export function WaitingFiles(): ReactNode {
  const { data, error } = useResource<{ readonly waiting: readonly WaitingChange[] }>('/api/acceptance')
  if (error) return <ErrorNote error={error} />
  // Definitions of servers have a section of their own.
  const waiting = data?.waiting.filter(({ kind }) => kind !== 'tool') ?? []
  if (waiting.length === 0) return null
  return (
    <section aria-label={t`Changes that wait`} className="flex flex-col gap-3 rounded-lg border border-warn p-3">
      <div>
        <h2 className="font-semibold text-warn">{t`Changes that wait`}</h2>
        <p className="text-sm text-soft">
          {t`These files were changed outside Foreword and would let a model do more. That does not count until you accept it.`}
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
  return (
    <ToAccept
      name={name}
      path="/api/acceptance"
      body={{ name, digest }}
      changes={['/api/acceptance', '/api/tools', '/api/tool-access']}
    >
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {words.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <DiffLines diff={difference} />
    </ToAccept>
  )
}

interface ToAcceptProps {
  readonly name: string
  readonly note?: ReactNode
  /** Where it is accepted, and what is read again after that. */
  readonly path: string
  readonly body: object
  readonly changes: readonly string[]
  readonly children: ReactNode
}

/** A difference with the button that accepts it. */
function ToAccept({ name, note, path, body, changes, children }: ToAcceptProps): ReactNode {
  const { mutate } = useSWRConfig()
  const { busy, error, act } = useAction()
  const accept = async (): Promise<void> => {
    await act(() => api(path, { method: 'POST', body }))
    await Promise.all(changes.map((each) => mutate(each)))
  }
  return (
    <article aria-label={name} className="flex flex-col gap-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 font-mono break-words">{name}</h3>
        {note}
        <Button look="plain" disabled={busy} aria-label={t`Accept ${name}`} onClick={() => void accept()}>
          {t`Accept`}
        </Button>
      </div>
      {error && <ErrorNote error={error} />}
      {children}
    </article>
  )
}

type Withheld = NonNullable<ToolStatus['withheld']>

/** Definitions that are not the ones that were accepted: each is shown with its difference before it is accepted. */
export function WithheldTools({ tools }: { readonly tools: readonly ToolStatus[] }): ReactNode {
  // What is declared in files is accepted with them.
  const withheld = tools.flatMap((tool) => tool.withheld ?? []).filter(({ declared }) => declared === undefined)
  if (withheld.length === 0) return null
  return (
    <section aria-label={t`Changed definitions`} className="flex flex-col gap-3 rounded-lg border border-warn p-3">
      <div>
        <h2 className="font-semibold text-warn">{t`Changed definitions`}</h2>
        <p className="text-sm text-soft">
          {t`A server has changed these definitions. The tools are withheld until you accept the difference.`}
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
  const note = accepted === undefined ? t`New` : offered === undefined ? t`No longer provided` : t`Changed`
  return (
    <ToAccept
      name={name}
      note={<span className="text-soft">{note}</span>}
      path={`/api/tools/${encodeURIComponent(name)}/accept`}
      body={{ digest }}
      changes={['/api/tools', '/api/mcp-servers']}
    >
      <TextDifference before={written(accepted)} after={written(offered)} />
      <p className="text-xs break-all text-soft">{t`Digest ${digest}`}</p>
    </ToAccept>
  )
}

function written(definition: Withheld['accepted']): string {
  return definition === undefined ? '' : JSON.stringify(definition, null, 2)
}
