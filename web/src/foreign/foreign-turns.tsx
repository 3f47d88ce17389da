import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Markdown } from '../markdown/markdown.tsx'
import { CallFold } from '../parts/call-fold.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongText } from '../parts/long-text.tsx'
import { andText, dollars, duration, price } from '../parts/numbers.ts'
import type { ForeignCall } from './foreign-session.ts'
import { t } from '../language/language.ts'

interface ForeignTurnsProps {
  readonly session: string
  readonly calls: readonly ForeignCall[]
  /** The call that is open in the inspector. */
  readonly open: string | undefined
}

/** The calls of another program by turn: a person's words, then each call with what came back. What cost nothing is folded. */
export function ForeignTurns({ session, calls, open }: ForeignTurnsProps): ReactNode {
  const isFolded = (call: ForeignCall) => isUnpaid(call) && call.id !== open
  const folds = !calls.every(isUnpaid)
  const view = (call: ForeignCall) => <CallView key={call.id} session={session} call={call} isOpen={call.id === open} />
  return turnsOf(calls).map((turn, index) => (
    <article key={turn[0]!.id} aria-label={t`Turn ${index + 1}`} className="flex min-w-0 flex-col gap-3">
      {folds
        ? runsOf(turn, isFolded).map((run) =>
            isFolded(run[0]!) ? <Unpaid key={run[0]!.id} calls={run} view={view} /> : run.map(view),
          )
        : turn.map(view)}
    </article>
  ))
}

/** Counts of tokens and refusals next to each other, on one line. */
function Unpaid({
  calls,
  view,
}: {
  readonly calls: readonly ForeignCall[]
  view(call: ForeignCall): ReactNode
}): ReactNode {
  const counts = calls.filter(({ foreign }) => foreign?.kind === 'count').length
  const refusals = calls.length - counts
  const parts = [
    ...(counts === 0 ? [] : [counts === 1 ? t`1 count of tokens` : t`${counts} counts of tokens`]),
    ...(refusals === 0 ? [] : [refusals === 1 ? t`1 refused call` : t`${refusals} refused calls`]),
  ]
  return (
    <Fold className="text-sm" summaryClassName="text-xs text-soft" summary={andText(parts)}>
      <div className="mt-2 flex flex-col gap-3 border-s-2 border-line ps-3">{calls.map(view)}</div>
    </Fold>
  )
}

/** Whether a call only counted tokens, or was answered by a refusal alone. */
function isUnpaid({ foreign, outcome }: ForeignCall): boolean {
  const { usage, error, wire, foreign: end } = outcome ?? {}
  if (foreign?.kind === 'count') return true
  return error !== undefined && usage === undefined && (wire === undefined || (end?.status ?? 0) >= 400)
}

/** Neighbours that are folded together are one run, and so are those between them. */
function runsOf(
  calls: readonly ForeignCall[],
  isFolded: (call: ForeignCall) => boolean,
): readonly (readonly ForeignCall[])[] {
  const runs: ForeignCall[][] = []
  for (const call of calls) {
    const last = runs.at(-1)
    if (last && isFolded(last[0]!) === isFolded(call)) last.push(call)
    else runs.push([call])
  }
  return runs
}

/** The program says which turn a call belongs to. What comes beside one, such as a title or a sub-agent, is in the same turn. */
function turnsOf(calls: readonly ForeignCall[]): readonly (readonly ForeignCall[])[] {
  const turns: ForeignCall[][] = []
  let newest: string | undefined
  for (const call of calls) {
    const isOther = call.foreign?.kind === 'turn' && call.turn !== newest
    const last = turns.at(-1)
    if (last === undefined || (isOther && newest !== undefined)) turns.push([call])
    else last.push(call)
    if (isOther) newest = call.turn
  }
  return turns
}

interface CallViewProps {
  readonly session: string
  readonly call: ForeignCall
  readonly isOpen: boolean
}

function CallView({ session, call, isOpen }: CallViewProps): ReactNode {
  const { words, answer } = call.said ?? {}
  const kind = call.foreign?.kind ?? 'other'
  return (
    <>
      {words !== undefined && (
        <div
          dir="auto"
          className={`max-w-full rounded-2xl bg-sunken px-4 py-2 break-words whitespace-pre-wrap ${kind === 'turn' ? 'self-end' : 'self-start text-sm'}`}
        >
          {kind === 'sub-agent' && <p className="text-xs text-soft">{t`To a sub-agent`}</p>}
          <LongText text={words} />
        </div>
      )}
      <section aria-label={callTitle(call)} className="flex min-w-0 flex-col gap-2">
        <CallLine session={session} call={call} isOpen={isOpen} />
        <Changed call={call} />
        {answer?.reasoning ? (
          <Fold className="text-sm text-soft" summary={t`Reasoning`}>
            <div dir="auto" className="mt-1 border-s-2 border-line ps-3 break-words whitespace-pre-wrap">
              <LongText text={answer.reasoning} />
            </div>
          </Fold>
        ) : null}
        {answer?.text ? <Markdown text={answer.text} /> : null}
        {answer?.calls.map((tool) => (
          <ToolCall key={tool.id} {...tool} />
        ))}
        {answer?.cut && <p className="text-xs text-soft">{t`The end of this answer was too long to be kept.`}</p>}
        {call.outcome?.error && (
          <p dir="auto" className="text-sm break-words text-bad">
            {call.outcome.error.message}
          </p>
        )}
      </section>
    </>
  )
}

const kinds: Readonly<Record<string, string>> = {
  turn: t`Step`,
  'sub-agent': t`Sub-agent`,
  compaction: t`Compaction`,
  title: t`Title`,
  count: t`Token count`,
  quota: t`Quota check`,
  embedding: t`Embeddings`,
  other: t`Other call`,
}

function callTitle({ foreign }: ForeignCall): string {
  const kind = foreign?.kind ?? 'other'
  return kinds[kind] ?? kind
}

/** A line that opens the call in the inspector. */
function CallLine({ session, call, isOpen }: CallViewProps): ReactNode {
  const { id, foreign, figures, outcome, cost } = call
  const { basis, total, cached } = figures
  const isAbout = basis !== 'reported' || outcome?.usageEstimated === true
  const status = outcome?.foreign?.status
  const facts = [
    ...(total === 0 ? [] : [isAbout ? t`about ${total} tokens` : t`${total} tokens`]),
    ...(basis === 'reported' && cached ? [t`${cached} from the cache`] : []),
    ...(cost === undefined ? [] : [cost !== 0 && isAbout ? t`about ${dollars(cost)}` : price(cost)]),
    ...(outcome === undefined ? [] : [duration(outcome.durationMs)]),
    ...(foreign?.retryOf === undefined ? [] : [t`a retry`]),
    ...(status === undefined || status < 400 ? [] : [t`status ${status}`]),
  ]
  const same = t`${figures.same ?? 0} of ${total} tokens as in the call before`
  const share = (figures.same ?? 0) / Math.max(1, total)
  return (
    <Link
      href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(id)}`}
      aria-current={isOpen ? 'true' : undefined}
      className={`flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 rounded px-1 text-xs text-soft hover:text-ink ${isOpen ? 'bg-line' : ''}`}
    >
      <span className="font-medium text-ink">{callTitle(call)}</span>
      <span
        role="img"
        aria-label={same}
        title={same}
        className="flex h-1.5 w-16 overflow-hidden rounded-full bg-slot-input"
      >
        <span className="bg-slot-history" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="min-w-0 tabular-nums">{facts.join(', ')}</span>
    </Link>
  )
}

/** Why it begins otherwise than the call before; nothing where the conversation only went on. */
function Changed({ call: { reuse } }: { readonly call: ForeignCall }): ReactNode {
  const { cause, why } = reuse?.firstChange ?? {}
  if (cause === undefined || cause === 'grew') return null
  return (
    <p dir="auto" className="border-s-2 border-warn ps-2 text-sm break-words">
      {why ?? cause}
    </p>
  )
}

function ToolCall({ name, input }: { readonly name: string; readonly input: unknown }): ReactNode {
  const json = JSON.stringify(input, null, 2) ?? ''
  return (
    <CallFold name={name} input={input} className="min-w-0 rounded-lg border border-line bg-raised text-sm">
      <pre
        aria-label={t`Input of ${name}`}
        role="region"
        tabIndex={0}
        className="max-h-72 overflow-auto border-t border-line px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {json}
      </pre>
    </CallFold>
  )
}
