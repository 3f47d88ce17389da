import { memo, type ReactNode, useMemo, useState } from 'react'
import type { CitationSource } from '../../../src/session.ts'
import { CallBars } from './call-bars.tsx'
import type { Sources } from '../markdown/citation.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Attachments } from './attachments.tsx'
import type { Turn } from './conversation.ts'
import { EditTurn } from './edit-turn.tsx'
import type { WhatWasRead } from './read-before.tsx'
import { SourcesPanel } from './sources-panel.tsx'
import { ToolCard } from './tool-card.tsx'
import { TurnActions } from './turn-actions.tsx'
import { TurnNotes } from './turn-notes.tsx'
import type { Part, TextPart } from './turn-parts.ts'

interface TurnViewProps {
  readonly session: string
  readonly turn: Turn
}

export const TurnView = memo(({ session, turn }: TurnViewProps): ReactNode => {
  const [editing, setEditing] = useState(false)
  const { text, attachments, parts, sources, undone, state } = turn
  const cited = parts.flatMap((part) => (part.type === 'text' ? part.citations : []))
  const citedAs = cited.map(({ citation }) => citation).join()
  // The same as long as nothing more is cited: what is drawn with it is not drawn again for every word.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const known = useMemo(() => sourcesByNumber([...cited, ...sources]), [sources, citedAs])
  return (
    <article
      aria-label="Turn"
      data-place={turn.id}
      tabIndex={-1}
      aria-busy={state === 'running'}
      className={`flex min-w-0 flex-col gap-3 py-3 ${undone ? 'opacity-60' : ''}`}
    >
      <Attachments files={attachments} />
      {editing && <EditTurn session={session} turn={turn} onClose={() => setEditing(false)} />}
      {text !== '' && !editing && (
        <div dir="auto" className="max-w-full self-end rounded-2xl bg-sunken px-4 py-2 break-words whitespace-pre-wrap">
          <LongText text={text} />
        </div>
      )}
      {parts.map((part, index) => (
        <PartView key={index} part={part} sources={known} read={() => readBefore(parts.slice(0, index), sources)} />
      ))}
      <TurnNotes turn={turn} />
      {state === 'ended' && <SourcesPanel turn={turn} />}
      <CallBars session={session} turn={turn} />
      <TurnActions session={session} turn={turn} onEdit={() => setEditing(true)} />
    </article>
  )
})

interface PartViewProps {
  readonly part: Part
  readonly sources: Sources
  read(): WhatWasRead
}

function PartView({ part, sources, read }: PartViewProps): ReactNode {
  if (part.type === 'tool') return <ToolCard part={part} read={read()} />
  if (part.type === 'reasoning') return <Reasoning part={part} />
  return <Markdown text={part.text} growing={part.provisional} sources={sources} />
}

function Reasoning({ part: { text, provisional } }: { readonly part: TextPart }): ReactNode {
  return (
    <Fold className="text-sm text-soft" summary={provisional ? 'Reasoning …' : 'Reasoning'}>
      <div dir="auto" className="mt-1 border-s-2 border-line ps-3 break-words whitespace-pre-wrap">
        <LongText text={text} />
      </div>
    </Fold>
  )
}

/** What the numbers of an answer mean: of several passages of one document, the first. */
function sourcesByNumber(given: readonly CitationSource[]): Sources {
  const sources = new Map<number, CitationSource>()
  for (const source of given) if (!sources.has(source.citation)) sources.set(source.citation, source)
  return sources
}

function readBefore(before: readonly Part[], sources: readonly CitationSource[]): WhatWasRead {
  const results = before.filter((part) => part.type === 'tool').filter(({ result }) => result !== undefined)
  return { sources, results }
}
