import type { ReactNode } from 'react'

interface EmptyProps {
  /** Why there is nothing. */
  readonly children: ReactNode
  /** What a person can do next: a button or a link. */
  readonly action?: ReactNode
}

/** Shown in place of a list that has nothing in it. */
export function Empty({ children, action }: EmptyProps): ReactNode {
  return (
    <div className="flex flex-col items-start gap-3 rounded-xl border border-dashed border-strong-line px-4 py-4 text-sm text-soft">
      <p>{children}</p>
      {action}
    </div>
  )
}
