import type { ReactNode } from 'react'
import { useMay } from '../api/caller.ts'
import { type ApiError, api } from '../api/client.ts'
import { type ListedProposal, useResource } from '../api/resources.ts'
import { Button } from './button.tsx'
import { DecisionButtons } from './decision-buttons.tsx'
import { DiffLines } from './diff-lines.tsx'
import { ErrorNote } from './error-note.tsx'
import { showToast } from './toasts.tsx'
import { t } from '../language/language.ts'

/** How often a proposal that waits is read again, ms: it may be decided elsewhere, and no event of the session says so. */
const AGAIN_MS = 1_500

interface ProposalProps {
  readonly id: string
  /** Below the difference, while it waits. */
  readonly children?: ReactNode
  /** Called when a decision was tried, whatever became of it. */
  onDecided?(): void
}

/** What a model would like to write into a file of a person: the difference, and the decision in place. */
export function Proposal({ id, children, onDecided }: ProposalProps): ReactNode {
  const may = useMay('approve')
  const path = `/api/proposals/${encodeURIComponent(id)}`
  const { data, error, mutate } = useResource<ListedProposal>(path, {
    refreshInterval: (latest) => (latest?.state.type === 'waiting' ? AGAIN_MS : 0),
  })
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return null
  const post = async (what: string, body: object): Promise<void> => {
    try {
      await api(`${path}/${what}`, { method: 'POST', body: { ...body, by: 'web' } })
    } finally {
      await mutate()
      onDecided?.()
    }
  }
  const { state, diff, digest, file } = data
  const target = file.type === 'notes' ? t`the notes of ${file.subject}` : t`the taste ${file.name}`
  const shown = (
    <>
      <p>{state.type === 'waiting' ? t`Proposed for ${target}:` : t`Was proposed for ${target}:`}</p>
      <DiffLines diff={diff} />
    </>
  )
  if (state.type !== 'waiting') {
    return (
      <section aria-label={t`Proposal for ${target}`} className="flex flex-col items-start gap-2">
        {shown}
        <p role="status" className="text-soft">
          {`${sentences[state.type]} (${state.by}).${state.reason === undefined ? '' : ` ${state.reason}`}`}
        </p>
        {state.type === 'confirmed' && may && (
          <Button
            look="plain"
            onClick={() => void post('undo', {}).catch(({ message }: ApiError) => showToast({ text: message }))}
          >
            {t`Undo`}
          </Button>
        )}
      </section>
    )
  }
  return (
    <DecisionButtons
      label={t`Proposal for ${target}`}
      agreements={[{ key: 'y', label: t`Write it`, run: () => post('decision', { decision: 'confirm', digest }) }]}
      refusal={t`Decline`}
      refuse={(reason) => post('decision', { decision: 'decline', digest, ...(reason === '' ? {} : { reason }) })}
    >
      {shown}
      {children}
    </DecisionButtons>
  )
}

const sentences = { confirmed: t`Written into the file`, declined: t`Declined`, undone: t`Undone` } as const
