import type { ReactNode } from 'react'
import { outcomeNotice } from '../../../src/runtime/sessions/outcome-notice.ts'
import { api } from '../api/client.ts'
import { DecisionButtons } from '../parts/decision-buttons.tsx'
import { useNow } from '../parts/use-now.ts'
import { Words } from '../parts/words.tsx'
import type { Turn } from './conversation.ts'

/** What a person should know about a turn besides its words: that it waits, is tried again, stopped, or did not end well. */
export function TurnNotes({ turn }: { readonly turn: Turn }): ReactNode {
  const { state, held, retry, interrupted, undone, warnings, outcome } = turn
  const notice = outcome && outcomeNotice(outcome)
  return (
    <>
      {state === 'queued' && <Note>Waits for its turn.</Note>}
      {held && <HeldCall question={held} />}
      {retry && <RetryNote {...retry} />}
      {interrupted !== undefined && <Note look="text-warn">{interrupted}</Note>}
      {undone && <Note>Undone: no later call reads this turn.</Note>}
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
          <Note>{notice}</Note>
        ))}
    </>
  )
}

/** A call to a model that waits for a person, since it could pass a budget: what it may cost, and the decisions. */
function HeldCall({ question }: { readonly question: NonNullable<Turn['held']> }): ReactNode {
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

/** Counts down to the next attempt. Screen readers hear the reason, not the seconds. */
function RetryNote({ attempt, until, message }: NonNullable<Turn['retry']>): ReactNode {
  const seconds = Math.max(0, Math.ceil((until - useNow(true)) / 1_000))
  return (
    <p className="text-sm text-warn">
      <span role="status">{message}</span>
      <span className="block">
        {seconds > 0 ? `Attempt ${attempt} follows in ${seconds} s.` : `Attempt ${attempt} is being made.`}
      </span>
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
