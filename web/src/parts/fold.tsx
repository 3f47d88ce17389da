import { type ReactNode, useEffect, useRef, useState } from 'react'

interface FoldProps {
  /** The line that is always seen, and opens the rest. */
  readonly summary: ReactNode
  readonly className?: string
  readonly summaryClassName?: string
  /** Opens it and brings it before the reader. `onShown` is called when that is done. */
  readonly shown?: boolean
  onShown?(): void
  readonly children: ReactNode
}

/** Something folded. What is in it is drawn, and read from the gateway, when it is first opened. */
export function Fold({
  summary,
  className = '',
  summaryClassName = '',
  shown = false,
  onShown,
  children,
}: FoldProps): ReactNode {
  const [opened, setOpened] = useState(false)
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (!shown || details.current === null) return
    details.current.open = true
    setOpened(true)
    const line = details.current.querySelector('summary')
    line?.scrollIntoView({ block: 'center' })
    line?.focus()
    onShown?.()
  }, [shown, onShown])
  return (
    <details
      ref={details}
      className={className}
      onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}
    >
      {/* The browser reports that it is open a moment later: what a click opens is drawn at once. */}
      <summary className={summaryClassName} onClick={() => setOpened(true)}>
        {summary}
      </summary>
      {opened && children}
    </details>
  )
}
