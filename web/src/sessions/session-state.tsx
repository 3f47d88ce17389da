import { CircleAlert, Hand, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ListedSession } from '../api/resources.ts'
import { t } from '../language/language.ts'

/** What each state is called, in the order of a filter. */
export const stateNames: Readonly<Record<ListedSession['state'], string>> = {
  works: t`Works`,
  waits: t`Waits for you`,
  failed: t`Failed`,
  done: t`Done`,
  new: t`New`,
}

/** How a session is doing, where that asks for a look: a sign with a name. A new session and a finished one have none. */
export function SessionStateMark({ state }: { readonly state: ListedSession['state'] }): ReactNode {
  if (signs[state] === null) return null
  return (
    <span className="inline-flex size-4 shrink-0 items-center justify-center" title={stateNames[state]}>
      {signs[state]}
      <span className="sr-only">{stateNames[state]}: </span>
    </span>
  )
}

const signs: Readonly<Record<ListedSession['state'], ReactNode>> = {
  works: <LoaderCircle size={14} className="text-accent motion-safe:animate-spin" aria-hidden />,
  waits: <Hand size={14} className="text-warn" aria-hidden />,
  failed: <CircleAlert size={14} className="text-bad" aria-hidden />,
  done: null,
  new: null,
}
