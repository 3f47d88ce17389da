import {
  type AuditFacts,
  contentHash,
  referredContent,
  type SessionStore,
  StoreError,
  type Write,
} from '../../../session.ts'
import type { Clock } from '../../../capability.ts'
import {
  auditFacts,
  type KeptProposal,
  keptProposal,
  noSuchProposal,
  PROPOSAL,
  proposalValue,
  type ProposalValue,
  type Stage,
  type TextChange,
} from './proposal-record.ts'

/** Proposals in the store. Several processes may write there: whoever looked at an old version writes nothing. */
export interface ProposalRepository {
  /** Rejects with `not-found`. */
  get(id: string): Promise<KeptProposal>
  /** In the order in which they were made. */
  all(): Promise<readonly KeptProposal[]>
  /** Notes that somebody was asked. */
  add(value: Omit<ProposalValue, 'stage'>): Promise<KeptProposal>
  /** The next version, with what the audit says of it. `undefined`: somebody else was quicker, and nothing is written. */
  advance(proposal: KeptProposal, stage: Stage, note?: AuditNote): Promise<KeptProposal | undefined>
  /** Keeps both texts; `advance` with what comes back. */
  keepTexts(before: string, after: string): Promise<TextChange>
  texts(change: TextChange): Promise<{ readonly before: string; readonly after: string }>
}

export type AuditNote = Pick<AuditFacts, 'decision' | 'rule' | 'reason' | 'ok'>

export type ProposalStore = Pick<SessionStore, 'record' | 'records' | 'transaction' | 'content'>

export function createProposalRepository({
  store,
  clock,
}: {
  readonly store: ProposalStore
  readonly clock: Clock
}): ProposalRepository {
  async function write(kept: KeptProposal, after: number, note: AuditNote | undefined): Promise<void> {
    const time = clock.time()
    const change = { kind: PROPOSAL, id: kept.id, value: proposalValue(kept), after }
    const record: Write = { type: 'record', change, time }
    const audit: readonly Write[] = note ? [{ type: 'audit', facts: { ...auditFacts(kept), ...note }, time }] : []
    await store.transaction([record, ...audit])
  }

  return {
    async get(id) {
      const record = await store.record(PROPOSAL, id)
      if (!record || record.value === null) throw noSuchProposal(id)
      return keptProposal(record)
    },
    all: async () => (await store.records(PROPOSAL)).map(keptProposal),
    async add(value) {
      const kept: KeptProposal = { ...value, id: clock.newId('proposal'), version: 1, stage: { type: 'waiting' } }
      await write(kept, 0, { decision: 'asked', rule: PROPOSAL })
      return kept
    },
    async advance(proposal, stage, note) {
      const next: KeptProposal = { ...proposal, version: proposal.version + 1, stage }
      try {
        await write(next, proposal.version, note)
        return next
      } catch (error) {
        if (error instanceof StoreError && error.code === 'conflict') return undefined
        throw error
      }
    },
    async keepTexts(before, after) {
      await store.transaction([before, after].map((text) => ({ type: 'content', text })))
      return { before: reference(before), after: reference(after) }
    },
    async texts({ before, after }) {
      return { before: await textOf(store, before), after: await textOf(store, after) }
    },
  }
}

function reference(text: string): string {
  return `sha256:${contentHash(text)}`
}

async function textOf(store: ProposalStore, to: string): Promise<string> {
  const text = await referredContent(store, to)
  if (text === undefined) throw new StoreError('corrupt', `the text ${to} of a proposal is not in the store any more`)
  return text
}
