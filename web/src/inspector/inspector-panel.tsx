import { lazy, type ReactNode, useEffect, useState } from 'react'
import type { SessionProgram } from '../../../src/capability.ts'
import { Dialog } from '../parts/dialog.tsx'
import { shownPlace } from '../parts/shown-place.ts'
import { Tabs } from '../parts/tabs.tsx'
import { useMedia } from '../parts/use-media.ts'
import { CallPanel } from './call-panel.tsx'
import type { NextCall } from './next-call.ts'
import { LatePanel } from './share-late-panel.tsx'
import { shownEntry } from './shown-entry.ts'

const WhatIfPanel = lazy(() => import('./what-if-panel.tsx'))
const ComparePanel = lazy(() => import('./compare-panel.tsx'))
const TimelinePanel = lazy(() => import('./timeline-panel.tsx'))
const SharePanel = lazy(() => import('./share-panel.tsx'))
const HistoryPanel = lazy(() => import('./history-panel.tsx'))

interface InspectorPanelProps {
  /** The call that is open; absent: the next one. */
  readonly call: string | undefined
  readonly next: NextCall
  /** The program that made the calls, where that is another one. */
  readonly program?: SessionProgram
  /** Whether it was asked for: on a narrow screen it then lies over the conversation. */
  readonly open: boolean
  onClose(): void
}

/** What the model read, or will read: beside the conversation where there is room, otherwise over it. */
export function InspectorPanel({ call, next, program, open, onClose }: InspectorPanelProps): ReactNode {
  const isWide = useMedia('(width >= 80rem)')
  const title = call === undefined ? 'Next call' : 'Call'
  const [tab, setTab] = useState('call')
  const shown = shownEntry.useAsked()
  useEffect(() => {
    if (shown === undefined) return
    setTab('call')
    // A piece of the next call is asked for while an earlier one is open.
    if (shown.call === undefined && call !== undefined) onClose()
  }, [shown])
  const place = shownPlace.useAsked()
  useEffect(() => {
    if (place !== undefined && !isWide && open) onClose()
  }, [place])
  // Nothing of one call is shown in another.
  const late = { key: call ?? 'next', session: next.session, call, next, program }
  const own = [
    { id: 'call', title, content: <CallPanel {...late} /> },
    { id: 'what-if', title: 'What if', content: <LatePanel panel={WhatIfPanel} {...late} /> },
    { id: 'compare', title: 'Compare', content: <LatePanel panel={ComparePanel} {...late} /> },
    { id: 'timeline', title: 'Timeline', content: <LatePanel panel={TimelinePanel} {...late} /> },
    { id: 'share', title: 'Request', content: <LatePanel panel={SharePanel} {...late} /> },
    { id: 'history', title: 'History', content: <LatePanel panel={HistoryPanel} {...late} /> },
  ]
  // What another program sends is its own: nothing of it can be tried here, and it has no layers with versions.
  const tabs = program ? own.filter(({ id }) => id !== 'what-if' && id !== 'history') : own
  if (!isWide) {
    return open ? (
      <Dialog title="Inspector" wide onClose={onClose}>
        <Tabs label="Inspector" tabs={tabs} value={tab} onChange={setTab} />
      </Dialog>
    ) : null
  }
  return (
    <aside aria-label="Inspector" className="flex w-96 shrink-0 flex-col border-l border-line bg-raised px-3">
      <Tabs label="Inspector" tabs={tabs} value={tab} onChange={setTab} />
    </aside>
  )
}
