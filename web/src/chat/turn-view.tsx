import { memo, type ReactNode, useState } from 'react'
import { CallBar } from '../inspector/call-bar.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import type { Part, Turn } from './conversation.ts'
import { EditTurn } from './edit-turn.tsx'
import { ToolCard } from './tool-card.tsx'
import { TurnActions } from './turn-actions.tsx'

interface TurnViewProps {
  readonly session: string
  readonly turn: Turn
}

/** One message of a person and everything that answers it. */
export const TurnView = memo(({ session, turn }: TurnViewProps): ReactNode => {
  const [editing, setEditing] = useState(false)
  const { text, parts, calls, state, outcome, undone, retry, interrupted } = turn
  return (
    <article aria-label="Turn" className={`flex flex-col gap-3 py-3 ${undone ? 'opacity-60' : ''}`}>
      {editing ? (
        <EditTurn session={session} turn={turn} onClose={() => setEditing(false)} />
      ) : (
        <div dir="auto" className="self-end rounded-2xl bg-sunken px-4 py-2 whitespace-pre-wrap">
          {text}
        </div>
      )}
      {parts.map((part, index) => (
        <PartView key={index} part={part} />
      ))}
      {state === 'queued' && <Note>Waits for its turn.</Note>}
      {retry && <Note>{`${retry.message} Attempt ${retry.attempt} follows.`}</Note>}
      {interrupted !== undefined && <Note>{interrupted}</Note>}
      {undone && <Note>Undone: no later call reads this turn.</Note>}
      {outcome?.type === 'failed' && (
        <p role="alert" className="text-sm text-bad">
          {outcome.message}
        </p>
      )}
      {outcome !== undefined && outcome.type !== 'completed' && outcome.type !== 'failed' && (
        <Note>{outcomeNotes[outcome.type]}</Note>
      )}
      {calls.map((call) => (
        <CallBar key={call} session={session} call={call} />
      ))}
      <TurnActions session={session} turn={turn} onEdit={() => setEditing(true)} />
    </article>
  )
})

function PartView({ part }: { readonly part: Part }): ReactNode {
  if (part.type === 'tool') return <ToolCard part={part} />
  if (part.type === 'text') {
    return (
      <div dir="auto">
        <Markdown text={part.text} />
      </div>
    )
  }
  return (
    <details className="text-sm text-soft">
      <summary>Reasoning</summary>
      <div dir="auto" className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap">
        {part.text}
      </div>
    </details>
  )
}

function Note({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <p role="status" className="text-sm text-soft">
      {children}
    </p>
  )
}

const outcomeNotes = {
  length: 'The answer was cut at a limit.',
  empty: 'The model answered nothing.',
  'reasoning-only': 'The model reasoned and wrote no answer.',
  'content-filter': 'The answer was stopped by the content rules of the model or its provider.',
  other: 'The answer ended for a reason that the provider did not name.',
  cancelled: 'Cancelled. The text so far is kept.',
} as const
