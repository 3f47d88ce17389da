import { Check, Hand, LoaderCircle, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useMay } from '../api/caller.ts'
import { type ReportedManifest, useResource } from '../api/resources.ts'
import { CallFold } from '../parts/call-fold.tsx'
import { providerTokens } from '../parts/provider-tokens.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Fold } from '../parts/fold.tsx'
import { duration } from '../parts/numbers.ts'
import { useNow } from '../parts/use-now.ts'
import { ApprovalCard } from './approval-card.tsx'
import { Attachments } from './attachments.tsx'
import { ReadBefore, type WhatWasRead } from './read-before.tsx'
import type { ToolDecision, ToolPart } from '../log/turn-parts.ts'
import { Proposal } from '../parts/proposal.tsx'
import { t } from '../language/language.ts'

const states = {
  asked: t`asked for`,
  waiting: t`waits for you`,
  running: t`running`,
  done: t`done`,
  failed: t`failed`,
  refused: t`refused`,
  denied: t`denied`,
} as const

interface ToolCardProps {
  readonly part: ToolPart
  /** What the model had read when it asked. */
  readonly read: WhatWasRead
}

export function ToolCard({ part, read }: ToolCardProps): ReactNode {
  const { name, input, state, approval, decision, result, images } = part
  const proposal = proposalOf(part)
  return (
    <section
      aria-label={t`Call of ${name}`}
      data-place={part.toolCallId}
      tabIndex={-1}
      className={`min-w-0 rounded-lg border bg-raised text-sm ${state === 'waiting' ? 'border-warn' : 'border-line'}`}
    >
      <CallFold name={name} input={input} sign={<StateSign state={state} />} words={<LineWords part={part} />}>
        <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
          {result !== undefined && (
            <div>
              <h3 className="text-xs text-soft">{t`Result`}</h3>
              <Plain text={result} label={t`Result`} />
            </div>
          )}
          <Fold summaryClassName="text-xs text-soft" summary={t`Input as JSON`}>
            <Plain text={JSON.stringify(input, null, 2) ?? ''} label={t`Input`} />
          </Fold>
        </div>
      </CallFold>
      {images && (
        <div className="flex flex-col border-t border-line p-3 [&>ul]:justify-start [&>ul]:self-start">
          <Attachments label={t`Images of the result`} files={images} />
        </div>
      )}
      {state === 'waiting' && approval && (
        <div className="border-t border-line p-3">
          <ApprovalCard approval={approval} read={read} />
        </div>
      )}
      {decision && <Decided {...decision} />}
      {(state === 'failed' || state === 'refused') && result !== undefined && (
        <p dir="auto" className="border-t border-line px-3 py-2 text-bad">
          {result.split('\n', 1)[0]!.slice(0, 500)}
          {state === 'refused' && isRuled(result) && (
            <Link href="/settings/tools" className="ml-2 whitespace-nowrap text-ink underline">
              {t`Tools and access`}
            </Link>
          )}
        </p>
      )}
      {proposal !== undefined && (
        <div className="border-t border-line p-3">
          <ProposalCard id={proposal} read={read} />
        </div>
      )}
    </section>
  )
}

/** Refusals of Foreword that no rule of the tools can change: of a call that is wrong in itself, or came too late. */
const UNRULED =
  /^(?:there is no tool named |arguments must be an object|invalid input for |too many calls in |the call was cut |cancelled before )/

function isRuled(result: string): boolean {
  return !UNRULED.test(result)
}

/** How a call is doing, as a sign; the words of its line say it to screen readers. */
function StateSign({ state }: Pick<ToolPart, 'state'>): ReactNode {
  if (state === 'done') return <Check size={15} className="shrink-0 text-good" aria-hidden />
  if (state === 'waiting') return <Hand size={15} className="shrink-0 text-warn" aria-hidden />
  if (state === 'asked' || state === 'running')
    return <LoaderCircle size={15} className="shrink-0 text-soft motion-safe:animate-spin" aria-hidden />
  return <X size={15} className="shrink-0 text-bad" aria-hidden />
}

/** `41 lines · 2 ms · about 640 tokens`: how it ended, how long it took or has been taking, and what its result costs in the window. */
function LineWords({ part }: { readonly part: ToolPart }): ReactNode {
  const { state, started, durationMs, result } = part
  const running = state === 'running' && started !== undefined
  const now = useNow(running)
  const decides = useMay('approve')
  const ms = running ? Math.max(0, now - Date.parse(started)) : durationMs
  const bad = state === 'failed' || state === 'refused' || state === 'denied'
  const look = bad ? 'text-bad' : state === 'waiting' ? 'text-warn font-medium' : 'text-soft'
  const time =
    ms === undefined || (bad && ms === 0) ? undefined : running ? `${Math.floor(ms / 1_000)} s` : duration(ms)
  const lines = state === 'done' && result !== undefined ? linesText(result) : undefined
  return (
    <span className={`shrink-0 text-xs whitespace-pre tabular-nums ${look}`}>
      <span role="status" className={state === 'done' ? 'sr-only' : undefined}>
        {state === 'waiting' && !decides ? t`waits for a decision` : states[state]}
      </span>
      {lines !== undefined && <span className="max-sm:sr-only">{`${lines}${time === undefined ? '' : ' · '}`}</span>}
      {time !== undefined && (state === 'done' ? time : ` ${time}`)}
      {state === 'done' && <ResultTokens part={part} />}
    </span>
  )
}

function linesText(result: string): string {
  const lines = result.trim() === '' ? 0 : result.trimEnd().split('\n').length
  if (lines === 0) return 'nothing'
  return lines === 1 ? t`1 line` : t`${lines} lines`
}

/** In the tokens of the provider: the count of here, by as much as the call of the tool was counted otherwise there. */
function ResultTokens({ part: { call, tokens } }: { readonly part: ToolPart }): ReactNode {
  const { data } = useResource<ReportedManifest>(
    tokens === undefined || call === '' ? undefined : `/api/calls/${encodeURIComponent(call)}/manifest`,
    { revalidateOnFocus: false },
  )
  if (tokens === undefined || data === undefined) return null
  const provided = providerTokens(tokens, { total: data.figures.total, used: data.used })
  return (
    <span className="max-sm:sr-only" title={t`What the result takes in the window of each call that reads it whole`}>
      {` · ${t`about ${provided} tokens`}`}
    </span>
  )
}

/** Names of the places where a person can decide. */
const places: Readonly<Record<string, string>> = {
  web: t`on the page`,
  cli: t`in the terminal`,
  http: t`over the HTTP API`,
}

const scopes = {
  once: t`Approved once`,
  session: t`Approved for this session`,
  tool: t`This tool approved for this session`,
}

function Decided({ decision, by }: ToolDecision): ReactNode {
  if (decision.type === 'withdraw') return undefined
  const place = places[by] ?? t`in ${by}`
  const what = decision.type === 'deny' ? t`Denied` : scopes[decision.scope]
  return (
    <p role="status" dir="auto" className="border-t border-line px-3 py-2 text-xs text-soft">
      {`${what} ${place}.`}
      {decision.type === 'deny' && decision.reason !== undefined && ` ${t`The model reads: ${decision.reason}`}`}
    </p>
  )
}

function Plain({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <pre
      dir="auto"
      tabIndex={0}
      aria-label={label}
      className="max-h-80 overflow-auto font-mono text-xs break-words whitespace-pre-wrap"
    >
      <LongText text={text} />
    </pre>
  )
}

/** The id of the proposal that a call has made; `undefined` where it made none. */
export function proposalOf({ name, state, result }: ToolPart): string | undefined {
  if (!name.startsWith('propose_') || state !== 'done' || result === undefined) return undefined
  try {
    const { proposal_id: id } = JSON.parse(result) as { readonly proposal_id?: unknown }
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

/** What a model would like to write into a file of a person, with what it had read before: decided in the conversation. */
function ProposalCard({ id, read }: { readonly id: string; readonly read: WhatWasRead }): ReactNode {
  return (
    <Proposal id={id}>
      <ReadBefore read={read} />
    </Proposal>
  )
}
