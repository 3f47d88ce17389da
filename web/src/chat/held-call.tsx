import type { ReactNode } from 'react'
import type { Entry } from '../../../src/session.ts'
import { api } from '../api/client.ts'
import { DecisionButtons } from '../parts/decision-buttons.tsx'

type Question = Extract<Entry, { readonly type: 'approval-request' }>

/** A call to a model that waits for a person, since it could pass a budget: what it may cost, and the decisions. */
export function HeldCall({ question }: { readonly question: Question }): ReactNode {
  const { approval, digest, request, held } = question
  if (held === undefined) return undefined
  const decide = (decision: object): Promise<unknown> =>
    api(`/api/approvals/${encodeURIComponent(approval)}`, { method: 'POST', body: { ...decision, digest, by: 'web' } })
  const { model } = request.input as { readonly model?: string }
  return (
    <DecisionButtons
      label="Approval of a call over budget"
      agreements={[
        { key: 'y', label: 'Allow this call', run: () => decide({ decision: 'approve', scope: 'once' }) },
        { key: 's', label: 'Raise the limit', run: () => decide({ decision: 'approve', scope: 'session' }) },
      ]}
      refusal="Refuse"
      refuse={(reason) => decide({ decision: 'deny', ...(reason === '' ? {} : { reason }) })}
    >
      <p>{held.sentence}</p>
      <p className="text-soft">{`The call to ${model ?? 'the model'} has not left. “Raise the limit” ${held.raise.charAt(0).toLowerCase() + held.raise.slice(1)}`}</p>
    </DecisionButtons>
  )
}
