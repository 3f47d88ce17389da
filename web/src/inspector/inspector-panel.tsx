import { ChevronDown, X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { SessionProgram } from '../../../src/capability.ts'
import { Dialog } from '../parts/dialog.tsx'
import { IconButton } from '../parts/button.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { shownPlace } from '../parts/asked.ts'
import { late } from '../parts/late.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { CallPanel } from './call-panel.tsx'
import { INSPECTOR_WIDTH } from './inspector-width.ts'
import type { NextCall } from './next-call.ts'
import { useCalls } from './previous-call.ts'
import { shownEntry } from './shown-entry.ts'
import { clockTime } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

const WhatIfPanel = late(() => import('./what-if-panel.tsx'))
const ComparePanel = late(() => import('./compare-panel.tsx'))
const TimelinePanel = late(() => import('./timeline-panel.tsx'))
const SharePanel = late(() => import('./share-panel.tsx'))
const HistoryPanel = late(() => import('./history-panel.tsx'))

export interface InspectorPanelProps {
  /** The call that is open; absent: the next one. */
  readonly call: string | undefined
  readonly next: NextCall
  /** The program that made the calls, where that is another one. */
  readonly program?: SessionProgram
  /** It is beside the conversation; otherwise over it. */
  readonly isBeside: boolean
  /** It says what it is. */
  readonly isFirst: boolean
  onClose(): void
}

/** What the model read, or will read: one call, what changed since the one before, and what other settings would do. */
export default function InspectorPanel(props: InspectorPanelProps): ReactNode {
  const { call, next, program, isBeside, isFirst, onClose } = props
  const [, navigate] = useLocation()
  const [tab, setTab] = useState('call')
  const shown = shownEntry.useAsked()
  useEffect(() => {
    if (shown === undefined) return
    setTab('call')
    // A piece of the next call is asked for while an earlier one is open.
    if (shown.call === undefined && call !== undefined && next.session !== undefined) {
      navigate(`/sessions/${encodeURIComponent(next.session)}`)
    }
  }, [shown])
  const place = shownPlace.useAsked()
  useEffect(() => {
    if (place !== undefined && !isBeside) onClose()
  }, [place])
  // Nothing of one call is shown in another.
  const inspected = { key: call ?? 'next', session: next.session, call, next, program }
  const isOwn = program === undefined
  const tabs = [
    { id: 'call', title: t`This call`, content: <CallPanel {...inspected} /> },
    { id: 'compare', title: t`What changed`, content: <ComparePanel {...inspected} /> },
    // What another program sends is its own: nothing of it can be tried here, and it has no layers with versions.
    ...(isOwn ? [{ id: 'what-if', title: t`What if`, content: <WhatIfPanel {...inspected} /> }] : []),
  ]
  const more = [
    { id: 'timeline', title: t`Timeline`, content: <TimelinePanel {...inspected} /> },
    { id: 'share', title: t`Request`, content: <SharePanel {...inspected} /> },
    ...(isOwn ? [{ id: 'history', title: t`History`, content: <HistoryPanel {...inspected} /> }] : []),
  ]
  const content = (
    <>
      {isFirst && isBeside && (
        <p className="pt-1 text-sm text-soft">
          {t`Everything that the model reads with your next message: what fills it, what it costs, and what was left out.`}
        </p>
      )}
      <Tabs label={t`Inspector`} tabs={tabs} more={more} value={tab} onChange={setTab} />
    </>
  )
  if (!isBeside) {
    return (
      <Dialog title={TITLE} wide onClose={onClose}>
        <div className="mb-1 text-sm">
          <CallChoice call={call} next={next} isOwn={isOwn} />
        </div>
        {content}
      </Dialog>
    )
  }
  return (
    <aside
      aria-label={t`Inspector`}
      className={`flex ${INSPECTOR_WIDTH} shrink-0 flex-col border-l border-line bg-raised ps-3 pe-2 min-[90rem]:ps-4 min-[90rem]:pe-3`}
    >
      <div className="flex items-center gap-2 pt-2">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{TITLE}</h2>
        <IconButton label={t`Close the inspector`} onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div className="-mt-1 text-sm">
        <CallChoice call={call} next={next} isOwn={isOwn} />
      </div>
      {content}
    </aside>
  )
}

const TITLE = t`What the model reads`

interface CallChoiceProps extends Pick<InspectorPanelProps, 'call' | 'next'> {
  /** The session can have a next call. */
  readonly isOwn: boolean
}

/** Calls that can be gone to from the title; the timeline has all of them. */
const MOST_CHOICES = 12

/** Which call is shown, with the way to the others. */
function CallChoice({ call, next, isOwn }: CallChoiceProps): ReactNode {
  const [, navigate] = useLocation()
  const { session } = next
  const calls = useCalls(next.isKnown ? session : undefined, MOST_CHOICES, next.settledTurns) ?? []
  const own = calls.find(({ id }) => id === call)
  const title = call === undefined ? t`Next call` : own ? t`Call of ${clockTime(own.time)}` : t`Earlier call`
  if (session === undefined || calls.length === 0) return <span className="text-soft">{title}</span>
  const path = `/sessions/${encodeURIComponent(session)}`
  return (
    <Menu
      trigger={
        <button type="button" className="flex items-center gap-1 text-soft hover:text-ink">
          {title}
          <ChevronDown size={14} aria-hidden />
        </button>
      }
    >
      {isOwn && (
        <MenuItem checked={call === undefined} onSelect={() => navigate(path)}>
          {t`Next call`}
        </MenuItem>
      )}
      {calls.toReversed().map((each) => (
        <MenuItem
          key={each.id}
          checked={each.id === call}
          onSelect={() => navigate(`${path}/calls/${encodeURIComponent(each.id)}`)}
        >
          {t`Call of ${clockTime(each.time)}`}
          <span className="ms-auto ps-4 text-soft tabular-nums">{t`${each.figures.total} tokens`}</span>
        </MenuItem>
      ))}
    </Menu>
  )
}
