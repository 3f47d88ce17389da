import {
  type AuditFacts,
  contentHash,
  type RecordVersion,
  readReferredContent,
  type SessionStore,
  StoreError,
  type Write,
} from '../../../session.ts'
import type { Clock } from '../../../capability.ts'
import { defined, sha256 } from '../../../platform.ts'
import { changedFile, type Proposal, type ProposalDraft, SubjectError, type SubjectFile } from '../core.ts'

/** Proposals in the store. Several processes may write there: a write that is based on an old version does nothing. */
export type ProposalRepository = ReturnType<typeof createProposalRepository>

export type AuditNote = Pick<AuditFacts, 'decision' | 'rule' | 'by' | 'reason' | 'ok'>

export type ProposalStore = Pick<SessionStore, 'record' | 'records' | 'transaction' | 'content'>

export function createProposalRepository({ store, clock }: { readonly store: ProposalStore; readonly clock: Clock }) {
  async function write(kept: KeptProposal, after: number, note: AuditNote | undefined): Promise<void> {
    const time = clock.time()
    const change = { kind: PROPOSAL, id: kept.id, value: proposalValue(kept), after }
    const record: Write = { type: 'record', change, time }
    const audit: readonly Write[] = note ? [{ type: 'audit', facts: { ...auditFacts(kept), ...note }, time }] : []
    await store.transaction([record, ...audit])
  }

  return {
    /** Rejects with `not-found`. */
    async get(id: string): Promise<KeptProposal> {
      const record = await store.record(PROPOSAL, id)
      if (!record || record.value === null)
        throw new SubjectError(
          'not-found',
          `There is no proposal ${id.slice(0, 100)}. List them with \`foreword subjects proposals\`.`,
          { proposal: id.slice(0, 100) },
        )
      return keptProposal(record)
    },

    /** In the order in which they were made. */
    all: async () => (await store.records(PROPOSAL)).map(keptProposal),

    /** Notes that somebody was asked. */
    async add(value: Omit<ProposalValue, 'stage'>): Promise<KeptProposal> {
      const kept: KeptProposal = { ...value, id: clock.newId('proposal'), version: 1, stage: { type: 'waiting' } }
      await write(kept, 0, { decision: 'asked', rule: PROPOSAL })
      return kept
    },

    /** The next version, with a note for the audit. `undefined`: another process wrote first, and nothing is written. */
    async advance(proposal: KeptProposal, stage: Stage, note?: AuditNote): Promise<KeptProposal | undefined> {
      const next: KeptProposal = { ...proposal, version: proposal.version + 1, stage }
      try {
        await write(next, proposal.version, note)
        return next
      } catch (error) {
        if (error instanceof StoreError && error.code === 'conflict') return undefined
        throw error
      }
    },

    /** Keeps both texts; `advance` with what comes back. */
    async keepTexts(before: string, after: string): Promise<ContentChange> {
      await store.transaction([before, after].map((text) => ({ type: 'content', text })))
      return { before: reference(before), after: reference(after) }
    },
    async texts({ before, after }: ContentChange): Promise<{ readonly before: string; readonly after: string }> {
      return { before: await readContent(store, before), after: await readContent(store, after) }
    },
  }
}

function reference(text: string): string {
  return `sha256:${contentHash(text)}`
}

async function readContent(store: ProposalStore, to: string): Promise<string> {
  const text = await readReferredContent(store, to)
  if (text === undefined) throw new StoreError('corrupt', `the text ${to} of a proposal is not in the store any more`)
  return text
}

interface ProposalValue extends Pick<Proposal, 'time' | 'file' | 'content' | 'category' | 'digest' | 'by'> {
  readonly stage: Stage
}

export interface KeptProposal extends ProposalValue {
  readonly id: string
  /** Of the record. */
  readonly version: number
}

/** The states, and two more for steps that have begun: they are recorded before a file changes, so a crash loses nothing. */
export type Stage =
  | { readonly type: 'waiting' }
  | (Decided & { readonly type: 'confirming'; readonly change: ContentChange })
  | Confirmed
  | (Decided & { readonly type: 'declined'; readonly reason?: string; readonly diff: string })
  | (Decided & { readonly type: 'undoing'; readonly change: ContentChange; readonly confirmed: Confirmed })
  | (Decided & { readonly type: 'undone'; readonly diff: string })

type Confirmed = Decided & { readonly type: 'confirmed'; readonly change: ContentChange; readonly diff: string }

/** A whole file before and after, as references to content: `sha256:HASH`. */
interface ContentChange {
  readonly before: string
  readonly after: string
}

interface Decided {
  readonly by: string
  readonly time: string
}

const PROPOSAL = 'proposal'

function keptProposal({ id, version, value }: RecordVersion): KeptProposal {
  return { ...(value as ProposalValue), id, version }
}

function proposalValue({ id: _id, version: _version, ...value }: KeptProposal): ProposalValue {
  return value
}

/** The state that people see. A step that has begun but not ended counts as not done. */
export function proposalFromRecord(kept: KeptProposal, diff: string): Proposal {
  const { stage, version: _version, ...proposed } = kept
  return { ...proposed, diff, state: proposalState(stage) }
}

export function proposalState(stage: Stage): Proposal['state'] {
  const { type } = stage
  if (type === 'waiting' || type === 'confirming') return { type: 'waiting' }
  if (type === 'undoing') return proposalState(stage.confirmed)
  const { by, time } = stage
  if (type === 'declined' && stage.reason !== undefined) return { type, by, time, reason: stage.reason }
  return { type, by, time }
}

export function proposalDigest({ file, content, category }: Pick<Proposal, 'file' | 'content' | 'category'>): string {
  const named =
    file.type === 'notes' ? { type: file.type, subject: file.subject } : { type: file.type, name: file.name }
  return sha256(JSON.stringify({ file: named, content, ...defined({ category }) }))
}

export function draftFile(draft: ProposalDraft): SubjectFile {
  return draft.type === 'notes' ? { type: 'notes', subject: draft.subject } : { type: 'taste', name: draft.name }
}

function auditFacts({ id, file, category, digest, by }: KeptProposal): AuditFacts {
  const { tool, session, turn, toolCallId } = by
  return {
    kind: 'change',
    tool,
    ...defined({ session, turn, toolCallId }),
    input: JSON.stringify({ proposal: id, file: changedFile(file), ...defined({ category }) }),
    digest,
  }
}

export function decidedAlready({ id, stage }: KeptProposal): SubjectError {
  const state = proposalState(stage)
  if (state.type === 'waiting') {
    return new SubjectError(
      'decided',
      `The proposal ${id} still waits for a decision: there is nothing to take back.`,
      { proposal: id, state },
    )
  }
  const what = { confirmed: 'confirmed', declined: 'declined', undone: 'taken back' }[state.type]
  return new SubjectError('decided', `The proposal ${id} was ${what} already: over ${state.by}, at ${state.time}.`, {
    proposal: id,
    state,
  })
}
