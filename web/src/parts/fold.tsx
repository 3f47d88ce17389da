import { type ReactNode, useState } from 'react'

interface FoldProps {
  /** The line that is always seen, and opens the rest. */
  readonly summary: ReactNode
  readonly className?: string
  readonly summaryClassName?: string
  readonly children: ReactNode
}

/** Something folded. What is in it is drawn, and read from the gateway, when it is first opened. */
export function Fold({ summary, className = '', summaryClassName = '', children }: FoldProps): ReactNode {
  const [opened, setOpened] = useState(false)
  return (
    <details className={className} onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}>
      <summary className={summaryClassName}>{summary}</summary>
      {opened && children}
    </details>
  )
}
