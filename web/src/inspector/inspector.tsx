import { type ReactNode, useEffect, useState } from 'react'
import { late } from '../parts/late.tsx'
import { useMedia } from '../parts/use-media.ts'
import { INSPECTOR_WIDTH } from './inspector-width.ts'
import type { InspectorPanelProps } from './inspector-panel.tsx'

const InspectorPanel = late(
  () => import('./inspector-panel.tsx'),
  ({ isBeside }) => isBeside && <div className={`${INSPECTOR_WIDTH} shrink-0 border-l border-line bg-raised`} />,
)

/** Whether it has said what it is. */
const EXPLAINED = 'foreword.inspector-explained'

/** What a person wanted last in this browser, `open` or `closed`; nothing until they closed or opened it themselves. */
const KEY = 'foreword.inspector'

interface InspectorState {
  readonly shown: boolean
  /** There is room for it beside the conversation. Whether it is shown follows from this, so both are told together. */
  readonly isBeside: boolean
  /** It opened by itself for the first time in this browser: it says what it is. */
  readonly isFirst: boolean
  open(): void
  close(): void
}

/** Whether the inspector is open. Beside the conversation it opens by itself until a person closes it; over it, only when asked for. */
export function useInspector(): InspectorState {
  const isBeside = useMedia(BESIDE)
  const [wanted, setWanted] = useState(() => localStorage.getItem(KEY))
  const [isOver, setOver] = useState(false)
  const [isFirst] = useState(() => localStorage.getItem(EXPLAINED) === null && localStorage.getItem(KEY) === null)
  const choose = (shown: boolean): void => {
    setOver(shown)
    if (!isBeside) return
    localStorage.setItem(KEY, shown ? 'open' : 'closed')
    setWanted(shown ? 'open' : 'closed')
  }
  const shown = isBeside ? wanted !== 'closed' : isOver
  useEffect(() => {
    if (shown && isBeside) localStorage.setItem(EXPLAINED, 'yes')
  }, [shown, isBeside])
  useEffect(() => {
    const toggle = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (!(ctrlKey || metaKey) || altKey || shiftKey || key.toLowerCase() !== 'i') return
      event.preventDefault()
      choose(!shown)
    }
    addEventListener('keydown', toggle)
    return () => removeEventListener('keydown', toggle)
  })
  return { shown, isBeside, isFirst, open: () => choose(true), close: () => choose(false) }
}

/** From this width on, the inspector is beside the conversation. */
const BESIDE = '(width >= 80rem)'

type InspectorProps = InspectorPanelProps & Pick<InspectorState, 'shown'>

/** What the model read, or will read: beside the conversation where there is room, otherwise over it. It is loaded when it is first shown. */
export function Inspector({ shown, ...panel }: InspectorProps): ReactNode {
  return shown && <InspectorPanel {...panel} />
}
