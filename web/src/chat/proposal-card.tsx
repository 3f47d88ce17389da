import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { type ListedProposal, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { DiffLines } from '../parts/diff-lines.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { DecisionButtons } from './decision-buttons.tsx'
import { ReadBefore, type WhatWasRead } from './read-before.tsx'
import type { ToolPart } from './turn-parts.ts'

/** How often a proposal that waits is read again, ms: it may be decided elsewhere, and no event of the session says so. */
const AGAIN_MS = 1_500

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

/** What a model would like to write into a file of a person: the difference, and the decision in place. */
export function ProposalCard({ id, read }: { readonly id: string; readonly read: WhatWasRead }): ReactNode {
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
    }
  }
  const { state, diff, digest, file } = data
  const target = file.type === 'notes' ? `the notes of ${file.subject}` : `the taste ${file.name}`
  const shown = (
    <>
      <p>{`${state.type === 'waiting' ? 'Proposed' : 'Was proposed'} for ${target}:`}</p>
      <DiffLines diff={diff} />
    </>
  )
  if (state.type !== 'waiting') {
    return (
      <section aria-label={`Proposal for ${target}`} className="flex flex-col items-start gap-2">
        {shown}
        <p role="status" className="text-soft">
          {`${sentences[state.type]} (${state.by}).${state.reason === undefined ? '' : ` ${state.reason}`}`}
        </p>
        {state.type === 'confirmed' && (
          <Button look="plain" onClick={() => void post('undo', {}).catch(() => {})}>
            Undo
          </Button>
        )}
      </section>
    )
  }
  return (
    <DecisionButtons
      label={`Proposal for ${target}`}
      agreements={[{ key: 'y', label: 'Write it', run: () => post('decision', { decision: 'confirm', digest }) }]}
      refusal="Decline"
      refuse={(reason) => post('decision', { decision: 'decline', digest, ...(reason === '' ? {} : { reason }) })}
    >
      {shown}
      <ReadBefore read={read} />
    </DecisionButtons>
  )
}

const sentences = { confirmed: 'Written into the file', declined: 'Declined', undone: 'Undone' } as const
