import type { ReactNode } from 'react'
import type { Turn } from './conversation.ts'

interface TurnActionsProps {
  readonly session: string
  readonly turn: Turn
}

/** What a person can do with a turn that has ended. */
export function TurnActions({ turn }: TurnActionsProps): ReactNode {
  const copy = (): void => {
    const text = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
    void navigator.clipboard.writeText(text)
  }
  if (turn.state !== 'ended') return null
  return (
    <div className="flex gap-1 text-xs text-soft">
      <button type="button" className="rounded px-2 py-1 hover:bg-line hover:text-ink" onClick={copy}>
        Copy
      </button>
    </div>
  )
}
