import { lazy, type ReactNode } from 'react'
import { Tabs } from '../parts/tabs.tsx'
import { CallPanel } from './call-panel.tsx'
import { LatePanel } from './share-late-panel.tsx'

const WhatIfPanel = lazy(() => import('./what-if-panel.tsx'))
const ComparePanel = lazy(() => import('./compare-panel.tsx'))
const TimelinePanel = lazy(() => import('./timeline-panel.tsx'))
const SharePanel = lazy(() => import('./share-panel.tsx'))
const HistoryPanel = lazy(() => import('./history-panel.tsx'))

interface InspectorPanelProps {
  readonly session: string | undefined
  /** The call that is open; absent: the next one. */
  readonly call: string | undefined
}

/** Beside the conversation: what the model read, or will read. */
export function InspectorPanel({ session, call }: InspectorPanelProps): ReactNode {
  const tabs = [
    { id: 'call', title: call === undefined ? 'Next call' : 'Call', content: <CallPanel call={call} /> },
    { id: 'what-if', title: 'What if', content: <LatePanel panel={WhatIfPanel} session={session} call={call} /> },
    { id: 'compare', title: 'Compare', content: <LatePanel panel={ComparePanel} session={session} call={call} /> },
    { id: 'timeline', title: 'Timeline', content: <LatePanel panel={TimelinePanel} session={session} call={call} /> },
    { id: 'share', title: 'Request', content: <LatePanel panel={SharePanel} session={session} call={call} /> },
    { id: 'history', title: 'History', content: <LatePanel panel={HistoryPanel} session={session} call={call} /> },
  ]
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
