import type { ReactNode } from 'react'
import { argvText, exactLine, exactLines, lookAlikes } from '../../../src/context.ts'
import type { Entry } from '../../../src/session.ts'
import { api } from '../api/client.ts'
import { DecisionButtons } from '../parts/decision-buttons.tsx'
import { DiffLines } from '../parts/diff-lines.tsx'
import { Fold } from '../parts/fold.tsx'
import { ForeignTexts, hasRead, ReadBefore, type WhatWasRead } from './read-before.tsx'
import type { ToolPart } from '../log/turn-parts.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'

type Approval = NonNullable<ToolPart['approval']>

/** A call that waits for a person: exactly what it would do, what the model had read before, and the decisions. */
export function ApprovalCard({
  approval,
  read,
}: {
  readonly approval: Approval
  readonly read: WhatWasRead
}): ReactNode {
  const { request, digest, rule, read: texts = [], grant } = approval
  const decide = (decision: object): Promise<unknown> =>
    api(`/api/approvals/${encodeURIComponent(approval.approval)}`, {
      method: 'POST',
      body: { ...decision, digest, by: 'web' },
    })
  return (
    <DecisionButtons
      label={t`Approval of ${request.tool}`}
      agreements={[
        { key: 'y', label: t`Approve once`, run: () => decide({ decision: 'approve', scope: 'once' }) },
        { key: 's', label: t`For this session`, run: () => decide({ decision: 'approve', scope: 'session' }) },
        ...(grant
          ? [
              {
                key: 't',
                label: t`This tool in this session`,
                run: () => decide({ decision: 'approve', scope: 'tool' }),
              },
            ]
          : []),
      ]}
      refusal={t`Deny`}
      refuse={(reason) => decide({ decision: 'deny', ...(reason === '' ? {} : { reason }) })}
      warning={<ForeignTexts texts={texts} />}
    >
      <h3 className="font-medium">{rich`May ${<code dir="ltr">{request.tool}</code>} run?`}</h3>
      <CallDescription request={request} rule={rule} />
      {(texts.length === 0 || hasRead(read)) && <ReadBefore read={read} />}
    </DecisionButtons>
  )
}

type Question = Extract<Entry, { readonly type: 'approval-request' }>['request']

/** The digest of a file, alone or behind its path. */
const DIGEST = / ?\b(?:sha256:)?[\da-f]{64}\b/g

/**
 * Exactly what a call would do, for a person who decides about it: what it does and where, then the difference. Nothing is left
 * out: digests, and an input that the difference shows already, are folded. What could not be seen is written out.
 */
function CallDescription({ request, rule }: { readonly request: Question; readonly rule: string }): ReactNode {
  const { argv, command, folder, input, facts = {}, diff } = request
  const alike = lookAlikes([...(argv ?? []), command ?? ''].join(' '))
  const rows = Object.entries(facts).map(([name, fact]) => {
    const text = typeof fact === 'string' ? fact : (JSON.stringify(fact) ?? '')
    return { name: exactLine(name), text: exactLine(text), short: exactLine(text.replaceAll(DIGEST, '')) }
  })
  const inputRows = argv === undefined && command === undefined && (
    <InputRows input={input} short={diff !== undefined} />
  )
  return (
    <div className="flex flex-col gap-2">
      <Rows>
        {argv !== undefined && <Row name="argv">{argvText(argv)}</Row>}
        {command !== undefined && <Row name={t`command`}>{exactLines(command)}</Row>}
        {folder !== undefined && <Row name={t`folder`}>{exactLine(folder)}</Row>}
        {rows.map(({ name, short }) => short !== '' && <Row key={name} name={name} children={short} />)}
        {diff === undefined && inputRows}
      </Rows>
      {alike.length > 0 && (
        <p className="text-sm text-bad">{t`Characters that look like others: ${alike.join(', ')}`}</p>
      )}
      {diff !== undefined && <DiffLines diff={diff} />}
      <Fold summaryClassName="text-xs text-soft" summary={t`Exactly what was asked for, and by which rule it waits`}>
        <Rows>
          <Row name={t`rule`}>{rule}</Row>
          {diff !== undefined && inputRows}
          {rows.map(({ name, text, short }) => text !== short && <Row key={name} name={name} children={text} />)}
        </Rows>
      </Fold>
    </div>
  )
}

function Rows({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs">{children}</dl>
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
