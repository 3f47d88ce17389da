import type { ReactNode } from 'react'
import { Tabs } from '../parts/tabs.tsx'
import { CallPanel } from './call-panel.tsx'

interface InspectorPanelProps {
  readonly session: string | undefined
  /** The call that is open; absent: the next one. */
  readonly call: string | undefined
}

/** Beside the conversation: what the model read, or will read. */
export function InspectorPanel({ session, call }: InspectorPanelProps): ReactNode {
  const tabs = [{ id: 'call', title: call === undefined ? 'Next call' : 'Call', content: <CallPanel call={call} /> }]
  return (
    <aside
      aria-label="Inspector"
      className="hidden w-96 shrink-0 flex-col border-l border-line bg-raised px-3 xl:flex"
      data-session={session}
    >
      <Tabs label="Inspector" tabs={tabs} />
    </aside>
  )
}
