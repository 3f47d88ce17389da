import type { ReactNode } from 'react'
import { Proposal } from '../parts/proposal.tsx'
import { ReadBefore, type WhatWasRead } from './read-before.tsx'
import type { ToolPart } from './turn-parts.ts'

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
export function ProposalCard({ id, read }: { readonly id: string; readonly read: WhatWasRead }): ReactNode {
  return (
    <Proposal id={id}>
      <ReadBefore read={read} />
    </Proposal>
  )
}
