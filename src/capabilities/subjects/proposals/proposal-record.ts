import type { AuditFacts, RecordVersion } from '../../../session.ts'
import { defined, sha256 } from '../../../platform.ts'
import { changedFile, type Proposal, type ProposalDraft, SubjectError, type SubjectFile } from '../core.ts'

/** A proposal as its record holds it: what was proposed, which stays, and how far it has come. */
export interface ProposalValue extends Pick<Proposal, 'time' | 'file' | 'content' | 'category' | 'digest' | 'by'> {
  readonly stage: Stage
}

export interface KeptProposal extends ProposalValue {
  readonly id: string
  /** Of the record. */
  readonly version: number
}

/** Two more than a state has: what is begun is noted before a file is touched, so that a crash in between loses nothing. */
export type Stage =
  | { readonly type: 'waiting' }
  | (Decided & { readonly type: 'confirming'; readonly change: TextChange })
  | Confirmed
  | (Decided & { readonly type: 'declined'; readonly reason?: string; readonly diff: string })
  | (Decided & { readonly type: 'undoing'; readonly change: TextChange; readonly confirmed: Confirmed })
  | (Decided & { readonly type: 'undone'; readonly diff: string })

export type Confirmed = Decided & { readonly type: 'confirmed'; readonly change: TextChange; readonly diff: string }

/** A whole file before and after, as references to content: `sha256:HASH`. */
export interface TextChange {
  readonly before: string
  readonly after: string
}

interface Decided {
  readonly by: string
  readonly time: string
}

/** The kind of its records. */
export const PROPOSAL = 'proposal'

export function keptProposal({ id, version, value }: RecordVersion): KeptProposal {
  return { ...(value as ProposalValue), id, version }
}

export function proposalValue({ id: _id, version: _version, ...value }: KeptProposal): ProposalValue {
  return value
}

/** As a person reads it. What is only begun counts as not done. */
export function proposalOf(kept: KeptProposal, diff: string): Proposal {
  const { stage, version: _version, ...proposed } = kept
  return { ...proposed, diff, state: stateOf(stage) }
}

export function stateOf(stage: Stage): Proposal['state'] {
  const { type } = stage
  if (type === 'waiting' || type === 'confirming') return { type: 'waiting' }
  if (type === 'undoing') return stateOf(stage.confirmed)
  const { by, time } = stage
  if (type === 'declined' && stage.reason !== undefined) return { type, by, time, reason: stage.reason }
  return { type, by, time }
}

/** SHA-256 over the file, the content and the category, in this order. */
export function proposalDigest({ file, content, category }: Pick<Proposal, 'file' | 'content' | 'category'>): string {
  const named =
    file.type === 'notes' ? { type: file.type, subject: file.subject } : { type: file.type, name: file.name }
  return sha256(JSON.stringify({ file: named, content, ...defined({ category }) }))
}

export function fileOf(draft: ProposalDraft): SubjectFile {
  return draft.type === 'notes' ? { type: 'notes', subject: draft.subject } : { type: 'taste', name: draft.name }
}

/** What every note of the audit says about a proposal. */
export function auditFacts({ id, file, category, digest, by }: KeptProposal): AuditFacts {
  const { tool, session, turn, toolCallId } = by
  return {
    kind: 'change',
    tool,
    ...defined({ session, turn, toolCallId }),
    input: JSON.stringify({ proposal: id, file: changedFile(file), ...defined({ category }) }),
    digest,
  }
}

export function noSuchProposal(id: string): SubjectError {
  return new SubjectError(
    'not-found',
    `There is no proposal ${id.slice(0, 100)}. List them with \`foreword subjects proposals\`.`,
    {
      proposal: id.slice(0, 100),
    },
  )
}

/** Who decided, and when. */
export function decidedAlready({ id, stage }: KeptProposal): SubjectError {
  const state = stateOf(stage)
  if (state.type === 'waiting') {
    return new SubjectError(
      'decided',
      `The proposal ${id} still waits for a decision: there is nothing to take back.`,
      {
        proposal: id,
        state,
      },
    )
  }
  const what = { confirmed: 'confirmed', declined: 'declined', undone: 'taken back' }[state.type]
  return new SubjectError('decided', `The proposal ${id} was ${what} already: over ${state.by}, at ${state.time}.`, {
    proposal: id,
    state,
  })
}
