import { Fragment, memo, type ReactNode, useMemo, useState } from 'react'
import type { CitationSource } from '../../../src/session.ts'
import type { Sources } from '../markdown/citation.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Attachments } from './attachments.tsx'
import type { Turn } from '../log/conversation.ts'
import { EditTurn } from './edit-turn.tsx'
import type { WhatWasRead } from './read-before.tsx'
import { ToolCard } from './tool-card.tsx'
import { ToolRun } from './tool-run.tsx'
import { TurnActions } from './turn-actions.tsx'
import { type Part, partRuns, type TextPart } from '../log/turn-parts.ts'
import { outcomeNotice } from '../../../src/runtime/sessions/outcome-notice.ts'
import { api } from '../api/client.ts'
import { DecisionButtons } from '../parts/decision-buttons.tsx'
import { useNow } from '../parts/use-now.ts'
import { Words } from '../parts/words.tsx'
import { SourceList } from './source-list.tsx'
import { t, translated } from '../language/language.ts'

interface TurnViewProps {
  readonly session: string
  readonly turn: Turn
}

export const TurnView = memo(({ session, turn }: TurnViewProps): ReactNode => {
  const [editing, setEditing] = useState(false)
  const { text, undone, state } = turn
  return (
    <article
      aria-label={t`Turn`}
      data-place={turn.id}
      tabIndex={-1}
      aria-busy={state === 'running'}
      className={`group/turn flex min-w-0 flex-col gap-3 py-3 ${undone ? 'opacity-60' : ''}`}
    >
      <Attachments files={turn.attachments} call={turn.state === 'ended' ? turn.calls[0] : undefined} />
      {editing && <EditTurn session={session} turn={turn} onClose={() => setEditing(false)} />}
      {text !== '' && !editing && <Said text={text} />}
      <Answer turn={turn} />
      <TurnActions session={session} turn={turn} onEdit={() => setEditing(true)} />
    </article>
  )
})

/** What a person wrote. */
export function Said({ text }: { readonly text: string }): ReactNode {
  return (
    <div
      data-said
      dir="auto"
      className="max-w-[85%] self-end rounded-2xl bg-sunken px-4 py-2 break-words whitespace-pre-wrap"
    >
      <LongText text={text} />
    </div>
  )
}

/** Everything that answers a message. */
export function Answer({ turn }: { readonly turn: Turn }): ReactNode {
  const { parts, sources, state } = turn
  const cited = parts.flatMap((part) => (part.type === 'text' ? part.citations : []))
  const citedAs = cited.map(({ citation }) => citation).join()
  // The same as long as nothing more is cited: what is drawn with it is not drawn again for every word.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const known = useMemo(() => sourcesByNumber([...cited, ...sources]), [sources, citedAs])
  return (
    <>
      {partRuns(parts).map(({ from, parts: own }) => {
        const drawn = own.map((part, at) => (
          <PartView key={at} part={part} sources={known} read={() => readBefore(parts.slice(0, from + at), sources)} />
        ))
        return own[0]!.type === 'tool' ? (
          <ToolRun key={from} parts={own}>
            {drawn}
          </ToolRun>
        ) : (
          <Fragment key={from}>{drawn}</Fragment>
        )
      })}
      <TurnNotes turn={turn} />
      {state === 'ended' && <SourcesPanel turn={turn} />}
    </>
  )
}

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
    <Fold className="text-sm text-soft" summary={provisional ? t`Reasoning …` : t`Reasoning`}>
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

/** What a person should know about a turn besides its words: that it waits, is tried again, stopped, or did not end well. */
function TurnNotes({ turn }: { readonly turn: Turn }): ReactNode {
  const { state, held, retry, interrupted, undone, warnings, outcome } = turn
  const notice = outcome && outcomeNotice(outcome)
  return (
    <>
      {state === 'queued' && <Note>{t`Waits for its turn.`}</Note>}
      {held && <BudgetQuestion question={held} />}
      {retry && <RetryNote {...retry} />}
      {interrupted !== undefined && <Note look="text-warn">{interrupted}</Note>}
      {undone && <Note>{t`Undone: no later call reads this turn.`}</Note>}
      {warnings.map((warning) => (
        <Note key={warning} look="text-warn">
          {warning}
        </Note>
      ))}
      {notice !== undefined &&
        (outcome?.type === 'failed' ? (
          <p role="alert" dir="auto" className="text-sm text-bad">
            <Words>{notice}</Words>
          </p>
        ) : (
          <Note>{translated(notice)}</Note>
        ))}
    </>
  )
}

/** A call to a model that waits for a person, since it could pass a budget: what it may cost, and the decisions. */
function BudgetQuestion({ question }: { readonly question: NonNullable<Turn['held']> }): ReactNode {
  const { approval, digest, request, held } = question
  if (held === undefined) return undefined
  const decide = (decision: object): Promise<unknown> =>
    api(`/api/approvals/${encodeURIComponent(approval)}`, { method: 'POST', body: { ...decision, digest, by: 'web' } })
  const { model } = request.input as { readonly model?: string }
  return (
    <DecisionButtons
      label={t`Approval of a call over budget`}
      agreements={[
        { key: 'y', label: t`Allow this call`, run: () => decide({ decision: 'approve', scope: 'once' }) },
        { key: 's', label: t`Raise the limit`, run: () => decide({ decision: 'approve', scope: 'session' }) },
      ]}
      refusal={t`Refuse`}
      refuse={(reason) => decide({ decision: 'deny', ...(reason === '' ? {} : { reason }) })}
    >
      <p>{held.sentence}</p>
      <p className="text-soft">{t`The call to ${model ?? t`the model`} has not left. “Raise the limit” ${held.raise.charAt(0).toLowerCase() + held.raise.slice(1)}`}</p>
    </DecisionButtons>
  )
}

/** Counts down to the next attempt. Screen readers hear the reason, not the seconds. */
function RetryNote({ attempt, until, message, model }: NonNullable<Turn['retry']>): ReactNode {
  const seconds = Math.max(0, Math.ceil((until - useNow(true)) / 1_000))
  return (
    <p className="text-sm text-warn">
      <span role="status">{message}</span>
      {model === undefined && (
        <span className="block">
          {seconds > 0 ? t`Attempt ${attempt} follows in ${seconds} s.` : t`Attempt ${attempt} is being made.`}
        </span>
      )}
    </p>
  )
}

function Note({ children, look = 'text-soft' }: { readonly children: ReactNode; readonly look?: string }): ReactNode {
  return (
    <p role="status" dir="auto" className={`text-sm ${look}`}>
      {children}
    </p>
  )
}

/** The sources of a turn: those that its answer cites, and those that the model read and did not cite. */
function SourcesPanel({ turn: { parts, sources } }: { readonly turn: Turn }): ReactNode {
  if (sources.length === 0) return null
  const cited = new Set(
    parts.flatMap((part) => (part.type === 'text' ? part.citations : [])).map(({ citation }) => citation),
  )
  const documents = new Set(sources.map(({ document }) => document)).size
  return (
    <Fold
      className="text-sm"
      summaryClassName="text-soft"
      summary={documents === 1 ? t`1 source, ${cited.size} cited` : t`${documents} sources, ${cited.size} cited`}
    >
      <div className="mt-2">
        <SourceList sources={sources} cited={cited} />
      </div>
    </Fold>
  )
}
