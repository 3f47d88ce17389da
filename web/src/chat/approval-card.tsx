import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { CallDescription } from './call-description.tsx'
import { DecisionButtons } from '../parts/decision-buttons.tsx'
import { ForeignTexts, hasRead, ReadBefore, type WhatWasRead } from './read-before.tsx'
import type { ToolPart } from './turn-parts.ts'

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
