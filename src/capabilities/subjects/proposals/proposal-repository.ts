import type { Clock } from '../../../capability.ts'
import { defined, errorMessage, sha256 } from '../../../platform.ts'
import {
  type AuditFacts,
  contentHash,
  readReferredContent,
  type RecordVersion,
  type SessionStore,
  StoreError,
  type Write,
} from '../../../session.ts'
import { fileDiff } from '../../../tool.ts'
import { changedFile } from '../core/subject-files.ts'
import { type Proposal, type ProposalDraft, SubjectError, type SubjectFile, type Subjects } from '../core/subjects.ts'
import { appendLines, findLines, type LineRange, removeLines } from '../core/lines.ts'

/** Proposals in the store. Several processes may write there: a write that is based on an old version does nothing. */
type ProposalRepository = ReturnType<typeof createProposalRepository>

type AuditNote = Pick<AuditFacts, 'decision' | 'rule' | 'by' | 'reason' | 'ok'>

export type ProposalStore = Pick<SessionStore, 'record' | 'records' | 'transaction' | 'content'>

export function createProposalRepository({ store, clock }: { readonly store: ProposalStore; readonly clock: Clock }) {
  async function write(kept: KeptProposal, after: number, note: AuditNote | undefined): Promise<void> {
    const time = clock.time()
    const { id, version: _version, ...value } = kept
    const change = { kind: PROPOSAL, id, value, after }
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
type Stage =
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

type Begun = Extract<Stage, { type: 'confirming' | 'undoing' }>

const MOST_ATTEMPTS = 20

/**
 * How a decision reaches its file. What will be written is noted first, then the file is replaced, then it is noted
 * that it was: after a crash, the next process finds out how far it came. A file that somebody edited meanwhile is
 * read again, never overwritten.
 */
export function createProposalWriting({
  repository,
  subjects,
}: {
  readonly repository: ProposalRepository
  readonly subjects: Pick<Subjects, 'text' | 'replace'>
}) {
  /** Continues a step that has begun until it is done or rolled back. Rejects with the reason for the rollback. */
  async function finish(proposal: KeptProposal): Promise<KeptProposal> {
    let now = proposal
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const { stage } = now
      if (stage.type !== 'confirming' && stage.type !== 'undoing') return now
      now = (await attemptOnce(now, stage)) ?? (await repository.get(now.id))
    }
    if (now.stage.type === 'confirming' || now.stage.type === 'undoing') {
      const name = changedFile(now.file)
      const busy = new SubjectError('changed', `${name} is being edited all the time. Try again in a moment.`)
      await putBack(now, now.stage, busy)
      throw busy
    }
    return now
  }

  /** One attempt. Returns the proposal as it is then; `undefined` where it has to be looked up. */
  async function attemptOnce(proposal: KeptProposal, stage: Begun): Promise<KeptProposal | undefined> {
    const { file } = proposal
    const planned = await repository.texts(stage.change)
    const now = await textNow(proposal, stage)
    if (now === planned.after) return done(proposal, stage, planned)
    if (now !== planned.before) return planAgain(proposal, stage, planned.before, now)
    try {
      await subjects.replace(file, { before: planned.before, text: planned.after })
    } catch (error) {
      if (error instanceof SubjectError && error.code === 'changed') return undefined
      // It may have been written all the same.
      if ((await textNow(proposal, stage)) === planned.after) return done(proposal, stage, planned)
      await putBack(proposal, stage, error)
      throw error
    }
    return done(proposal, stage, planned)
  }

  /** Somebody edited the file since: what was wanted may be there already, or is worked out again. */
  async function planAgain(
    proposal: KeptProposal,
    stage: Begun,
    before: string,
    now: string,
  ): Promise<KeptProposal | undefined> {
    const { content } = proposal
    const ranges = findLines(now, content)
    if (stage.type === 'confirming') {
      const isThere = ranges.length > findLines(before, content).length
      if (isThere) return done(proposal, stage, { before, after: appendLines(before, content) })
      const change = await repository.keepTexts(now, appendLines(now, content))
      return repository.advance(proposal, { ...stage, change })
    }
    if (ranges.length === 0) return done(proposal, stage, { before, after: now })
    const range = onlyOne(ranges)
    if (!range) {
      const unclear = await notApart(proposal, ranges.length, now)
      await putBack(proposal, stage, unclear)
      throw unclear
    }
    const addedTo = (await repository.texts(stage.confirmed.change)).before
    const change = await repository.keepTexts(now, removeLines(now, range, addedTo))
    return repository.advance(proposal, { ...stage, change })
  }

  async function done(
    proposal: KeptProposal,
    stage: Begun,
    { before, after }: { readonly before: string; readonly after: string },
  ): Promise<KeptProposal | undefined> {
    const { by, time, change } = stage
    const diff = await proposalDiff(proposal.file, before, after)
    if (stage.type === 'undoing') return repository.advance(proposal, { type: 'undone', by, time, diff })
    return repository.advance(proposal, { type: 'confirmed', by, time, change, diff })
  }

  async function textNow(proposal: KeptProposal, stage: Begun): Promise<string> {
    try {
      return await subjects.text(proposal.file)
    } catch (error) {
      // Only `not-found` proves that the lines are gone. A file that cannot be read may still contain them.
      if (error instanceof SubjectError && error.code === 'not-found') await putBack(proposal, stage, error)
      throw error
    }
  }

  async function putBack(proposal: KeptProposal, stage: Begun, error: unknown): Promise<void> {
    const reason = errorMessage(error)
    const back: Stage = stage.type === 'confirming' ? { type: 'waiting' } : stage.confirmed
    await repository.advance(proposal, back, { rule: stage.by, ok: false, reason })
  }

  async function notApart({ id, file, stage }: KeptProposal, ranges: number, now: string): Promise<SubjectError> {
    const name = changedFile(file)
    const found = ranges === 0 ? 'do not stand there as they were added' : `stand there ${ranges} times`
    const confirmed = stage.type === 'undoing' ? stage.confirmed : stage
    const wrote = confirmed.type === 'confirmed' ? (await repository.texts(confirmed.change)).after : ''
    return new SubjectError(
      'changed',
      `${name} was edited since, and the lines of ${id} ${found}. Nothing is changed; edit the file by hand.`,
      { proposal: id, file: name, diff: await proposalDiff(file, wrote, now) },
    )
  }

  return {
    finish,
    /** Notes a person's consent and writes. `undefined`: somebody else decided first. */
    async confirm(proposal: KeptProposal, by: string, time: string, note: AuditNote) {
      const before = await subjects.text(proposal.file)
      const change = await repository.keepTexts(before, appendLines(before, proposal.content))
      const begun = await repository.advance(proposal, { type: 'confirming', by, time, change }, note)
      return begun && finish(begun)
    },
    /** Notes the undo and writes. Rejects with `changed` where the lines cannot be told from later edits. */
    async undo(proposal: KeptProposal, by: string, time: string, note: AuditNote) {
      const { stage: confirmed, file, content } = proposal
      if (confirmed.type !== 'confirmed') return undefined
      const written = await repository.texts(confirmed.change)
      const now = await subjects.text(file)
      const ranges = findLines(now, content)
      const range = onlyOne(ranges)
      if (now !== written.after && !range) throw await notApart(proposal, ranges.length, now)
      const rest = now === written.after || !range ? written.before : removeLines(now, range, written.before)
      const change = await repository.keepTexts(now, rest)
      const begun = await repository.advance(proposal, { type: 'undoing', by, time, change, confirmed }, note)
      return begun && finish(begun)
    },
  }
}

function onlyOne(ranges: readonly LineRange[]): LineRange | undefined {
  return ranges.length === 1 ? ranges[0] : undefined
}

/** An empty file and a missing file look the same: every line is an added one. */
export async function proposalDiff(file: SubjectFile, before: string, after: string): Promise<string> {
  return fileDiff(changedFile(file), before === '' ? undefined : before, after)
}
