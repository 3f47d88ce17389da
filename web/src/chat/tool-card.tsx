import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { CallFold } from '../parts/call-fold.tsx'
import { LongText } from '../parts/long-text.tsx'
import { duration } from '../parts/numbers.ts'
import { useNow } from '../parts/use-now.ts'
import { Attachments } from './attachments.tsx'
import { ForeignTexts, hasRead, ReadBefore, type WhatWasRead } from './read-before.tsx'
import type { ToolDecision, ToolPart } from './turn-parts.ts'
import { Proposal } from '../parts/proposal.tsx'
import { api } from '../api/client.ts'
import { DecisionButtons } from '../parts/decision-buttons.tsx'
import { argvText, exactLine, exactLines, lookAlikes } from '../../../src/context.ts'
import type { Entry } from '../../../src/session.ts'
import { DiffLines } from '../parts/diff-lines.tsx'

const states = {
  asked: 'asked for',
  waiting: 'waits for you',
  running: 'running',
  done: 'done',
  failed: 'failed',
  refused: 'refused',
  denied: 'denied',
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
      aria-label={`Call of ${name}`}
      data-place={part.toolCallId}
      tabIndex={-1}
      className={`min-w-0 rounded-lg border bg-raised text-sm ${state === 'waiting' ? 'border-warn' : 'border-line'}`}
    >
      <CallFold name={name} input={input} word={<StateWord part={part} />}>
        <div className="border-t border-line px-3 py-2">
          <h3 className="text-xs text-soft">Input</h3>
          <Plain text={JSON.stringify(input, null, 2) ?? ''} label="Input" />
          {result !== undefined && (
            <>
              <h3 className="mt-2 text-xs text-soft">Result</h3>
              <Plain text={result} label="Result" />
            </>
          )}
        </div>
      </CallFold>
      {images && (
        <div className="flex flex-col border-t border-line p-3 [&>ul]:justify-start [&>ul]:self-start">
          <Attachments label="Images of the result" files={images} />
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
          {state === 'refused' && (
            <Link href="/settings/tools" className="ml-2 whitespace-nowrap text-ink underline">
              Tools and access
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

/** The state in a word, and how long it has taken, or has been taking. */
function StateWord({ part: { state, started, durationMs } }: { readonly part: ToolPart }): ReactNode {
  const running = state === 'running' && started !== undefined
  const now = useNow(running)
  const ms = running ? Math.max(0, now - Date.parse(started)) : durationMs
  const bad = state === 'failed' || state === 'refused' || state === 'denied'
  const look = bad ? 'text-bad' : state === 'waiting' ? 'text-warn font-medium' : 'text-soft'
  return (
    <span className={`shrink-0 text-xs ${look}`}>
      <span role="status">{states[state]}</span>
      {ms !== undefined && !(bad && ms === 0) && ` ${running ? `${Math.floor(ms / 1_000)} s` : duration(ms)}`}
    </span>
  )
}

/** Names of the places where a person can decide. */
const places: Readonly<Record<string, string>> = {
  web: 'on the page',
  cli: 'in the terminal',
  http: 'over the HTTP API',
}

const scopes = {
  once: 'Approved once',
  session: 'Approved for this session',
  tool: 'This tool approved for this session',
}

function Decided({ decision, by }: ToolDecision): ReactNode {
  if (decision.type === 'withdraw') return undefined
  const place = places[by] ?? `in ${by}`
  const what = decision.type === 'deny' ? 'Denied' : scopes[decision.scope]
  return (
    <p role="status" dir="auto" className="border-t border-line px-3 py-2 text-xs text-soft">
      {`${what} ${place}.`}
      {decision.type === 'deny' && decision.reason !== undefined && ` The model reads: ${decision.reason}`}
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
function proposalOf({ name, state, result }: ToolPart): string | undefined {
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

type Approval = NonNullable<ToolPart['approval']>

/** A call that waits for a person: exactly what it would do, what the model had read before, and the decisions. */
function ApprovalCard({ approval, read }: { readonly approval: Approval; readonly read: WhatWasRead }): ReactNode {
  const { request, digest, rule, read: texts = [], grant } = approval
  const decide = (decision: object): Promise<unknown> =>
    api(`/api/approvals/${encodeURIComponent(approval.approval)}`, {
      method: 'POST',
      body: { ...decision, digest, by: 'web' },
    })
  return (
    <DecisionButtons
      label={`Approval of ${request.tool}`}
      agreements={[
        { key: 'y', label: 'Approve once', run: () => decide({ decision: 'approve', scope: 'once' }) },
        { key: 's', label: 'For this session', run: () => decide({ decision: 'approve', scope: 'session' }) },
        ...(grant
          ? [
              {
                key: 't',
                label: 'This tool in this session',
                run: () => decide({ decision: 'approve', scope: 'tool' }),
              },
            ]
          : []),
      ]}
      refusal="Deny"
      refuse={(reason) => decide({ decision: 'deny', ...(reason === '' ? {} : { reason }) })}
    >
      <p className="text-soft">{`It runs only if you approve it, by the rule ${rule}.`}</p>
      <CallDescription request={request} />
      <ForeignTexts texts={texts} />
      {(texts.length === 0 || hasRead(read)) && <ReadBefore read={read} />}
    </DecisionButtons>
  )
}

type Question = Extract<Entry, { readonly type: 'approval-request' }>['request']

/** Exactly what a call would do, for a person who decides about it. Nothing is left out, and what could not be seen is written out. */
function CallDescription({ request }: { readonly request: Question }): ReactNode {
  const { argv, command, folder, input, facts = {}, diff } = request
  const alike = lookAlikes([...(argv ?? []), command ?? ''].join(' '))
  return (
    <div className="flex flex-col gap-2">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs">
        {argv !== undefined && <Row name="argv">{argvText(argv)}</Row>}
        {command !== undefined && <Row name="command">{exactLines(command)}</Row>}
        {folder !== undefined && <Row name="folder">{exactLine(folder)}</Row>}
        {argv === undefined && command === undefined && <InputRows input={input} short={diff !== undefined} />}
        {Object.entries(facts).map(([name, fact]) => (
          <Row key={name} name={exactLine(name)}>
            {exactLine(typeof fact === 'string' ? fact : (JSON.stringify(fact) ?? ''))}
          </Row>
        ))}
      </dl>
      {alike.length > 0 && (
        <p className="text-sm text-bad">{`Characters that look like others: ${alike.join(', ')}`}</p>
      )}
      {diff !== undefined && <DiffLines diff={diff} />}
    </div>
  )
}

/** Characters that are shown of a field whose text is in the difference. */
const BESIDE_DIFF = 200

function InputRows({ input, short }: { readonly input: unknown; readonly short: boolean }): ReactNode {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return <Row name="input">{exactLine(JSON.stringify(input) ?? '')}</Row>
  }
  return Object.entries(input).map(([name, value]) => {
    const text = exactLine(JSON.stringify(value) ?? '')
    return (
      <Row key={name} name={exactLine(name)}>
        {short && text.length > BESIDE_DIFF ? `${text.slice(0, BESIDE_DIFF)}…` : text}
      </Row>
    )
  })
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd dir="ltr" className="max-h-60 overflow-y-auto font-mono break-words whitespace-pre-wrap">
        {children}
      </dd>
    </>
  )
}
