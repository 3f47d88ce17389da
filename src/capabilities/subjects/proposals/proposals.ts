import { changedFile } from '../core/subject-files.ts'
import { longestContent } from '../core/subject-operations.ts'
import {
  type Proposal,
  type ProposalDecision,
  type ProposalDraft,
  type Proposals,
  type ProposalSource,
  SubjectError,
  type SubjectFile,
  type Subjects,
} from '../core/subjects.ts'
import type { Clock } from '../../../capability.ts'
import {
  createProposalRepository,
  createProposalWriting,
  decidedAlready,
  draftFile,
  type KeptProposal,
  proposalDiff,
  proposalDigest,
  proposalFromRecord,
  proposalState,
  type ProposalStore,
} from './proposal-repository.ts'
import { appendLines, trimLines } from '../core/lines.ts'
import { runtimeFailure } from '../../../runtime.ts'
import { serialQueue } from '../../../platform.ts'

interface ProposalsParts {
  readonly store: ProposalStore
  readonly subjects: Pick<Subjects, 'text' | 'notes' | 'replace'>
  readonly clock: Clock
}

/** The most proposals that may wait at once, so that a model cannot flood a person. */
const MOST_WAITING = 200

/** Of one proposal. A person has to read it, and the difference of more lines than these would not be shown line by line. */
const MOST_LINES = 1_000

/** Proposals as records in the store, and every decision about them in the audit (BEHAVIOURS §4). */
export function createProposals({ store, subjects, clock }: ProposalsParts): Proposals {
  const repository = createProposalRepository({ store, clock })
  const writing = createProposalWriting({ repository, subjects })

  /** Decisions run one at a time, so the second one sees the result of the first. */
  const queue = serialQueue()
  const inTurn = <T>(work: () => Promise<T>) => inRuntimeTerms(queue.add(work))

  /** Finishes everything that was begun, by this process or by one that ended in the middle. */
  async function settle(id: string): Promise<KeptProposal> {
    return writing.finish(await repository.get(id))
  }

  async function present(kept: KeptProposal, readText: (file: SubjectFile) => Promise<string>): Promise<Proposal> {
    const { stage, file, content } = kept
    if (stage.type === 'undoing') return proposalFromRecord(kept, stage.confirmed.diff)
    if (stage.type !== 'waiting' && stage.type !== 'confirming') return proposalFromRecord(kept, stage.diff)
    // A file that cannot be read is reported at the decision; until then it counts as empty.
    const before = await readText(file).catch(() => '')
    return proposalFromRecord(kept, await proposalDiff(file, before, appendLines(before, content)))
  }

  const current = (kept: KeptProposal) => present(kept, subjects.text)

  async function propose(draft: ProposalDraft, by: ProposalSource): Promise<Proposal> {
    const file = draftFile(draft)
    const value = {
      file,
      content: checkLines(draft.content),
      ...(draft.type === 'taste' ? { category: draft.category } : {}),
    }
    await assertExists(file)
    const digest = proposalDigest(value)
    const waiting = (await repository.all()).filter(({ stage }) => stage.type === 'waiting')
    const same = waiting.find(
      (each) => each.digest === digest && each.by.session === by.session && each.by.client === by.client,
    )
    if (same) return current(same)
    if (waiting.length >= MOST_WAITING)
      throw new SubjectError(
        'invalid-input',
        `${waiting.length} proposals wait for a person already, and no more may. Ask for some of them to be decided first.`,
      )
    return current(await repository.add({ ...value, digest, by, time: clock.time() }))
  }

  /** Notes need an existing subject. The first addition to a taste creates its file. */
  async function assertExists(file: SubjectFile): Promise<void> {
    if (file.type === 'notes') await subjects.notes(file.subject, { limit: 1 })
    else await subjects.text(file)
  }

  async function decide(id: string, { type, digest, by, reason }: ProposalDecision): Promise<Proposal> {
    const proposal = await settle(id)
    if (proposal.stage.type !== 'waiting') throw decidedAlready(proposal)
    if (proposal.digest !== digest)
      throw new SubjectError(
        'decided',
        `The decision is about something else than what ${proposal.id} would add to ${changedFile(proposal.file)}. Look at it again.`,
        { proposal: proposal.id, digest: proposal.digest },
      )
    const time = clock.time()
    const why = reason === undefined ? {} : { reason }
    const note = { decision: type === 'confirm' ? ('approved' as const) : ('denied' as const), rule: by, by, ...why }
    const next =
      type === 'confirm'
        ? await writing.confirm(proposal, by, time, note)
        : await repository.advance(
            proposal,
            { type: 'declined', by, time, ...why, diff: (await current(proposal)).diff },
            note,
          )
    // Another process was faster.
    return next ? current(next) : decide(id, { type, digest, by, ...why })
  }

  async function undo(id: string, by: string): Promise<Proposal> {
    const proposal = await settle(id)
    if (proposal.stage.type !== 'confirmed') throw decidedAlready(proposal)
    const next = await writing.undo(proposal, by, clock.time(), { rule: by, by, reason: 'taken back' })
    return next ? current(next) : undo(id, by)
  }

  /** A proposal that cannot be completed now is shown in its last state. A decision about it reports why. */
  async function trySettle(kept: KeptProposal): Promise<KeptProposal> {
    if (kept.stage.type !== 'confirming' && kept.stage.type !== 'undoing') return kept
    return inTurn(() => settle(kept.id)).catch(() => repository.get(kept.id))
  }

  async function proposalsIn(state: Proposal['state']['type'] | undefined): Promise<readonly KeptProposal[]> {
    const all = await Promise.all((await repository.all()).map(trySettle))
    return all.filter(({ stage }) => state === undefined || proposalState(stage).type === state)
  }

  async function list(state: Proposal['state']['type'] | undefined): Promise<readonly Proposal[]> {
    const wanted = await proposalsIn(state)
    const texts = new Map<string, Promise<string>>()
    const readText = (file: SubjectFile) => {
      const known = texts.get(changedFile(file)) ?? subjects.text(file)
      texts.set(changedFile(file), known)
      return known
    }
    return Promise.all(wanted.map((each) => present(each, readText)))
  }

  return {
    propose: (draft, by) => inTurn(() => propose(draft, by)),
    list: ({ state } = {}) => inRuntimeTerms(list(state)),
    waiting: async () => (await inRuntimeTerms(proposalsIn('waiting'))).map(({ file }) => file),
    get: (id) => inRuntimeTerms(repository.get(id).then(trySettle).then(current)),
    decide: (id, decision) => inTurn(() => decide(id, decision)),
    undo: (id, by) => inTurn(() => undo(id, by)),
  }
}

async function inRuntimeTerms<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw runtimeFailure(error)
  }
}

function checkLines(content: string): string {
  const lines = trimLines(content)
  if (lines === '') throw new SubjectError('invalid-input', 'The content is empty. Say what should be added.')
  if (!lines.isWellFormed()) {
    throw new SubjectError('invalid-input', 'The content has half a character in it, which no file can hold.')
  }
  if (lines.length > longestContent) throw tooLong(`${lines.length} characters`, longestContent)
  const height = lines.split('\n').length
  if (height > MOST_LINES) throw tooLong(`${height} lines`, MOST_LINES)
  return lines
}

function tooLong(size: string, most: number): SubjectError {
  return new SubjectError(
    'invalid-input',
    `The content has ${size}, and a proposal may have ${most}. Propose what matters most.`,
  )
}
