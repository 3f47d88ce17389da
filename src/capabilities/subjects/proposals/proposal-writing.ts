import { changedFile, type SubjectFile, SubjectError, type Subjects } from '../core.ts'
import { fileDiff } from '../../../tool.ts'
import { errorMessage } from '../../../platform.ts'
import type { KeptProposal, Stage } from './proposal-record.ts'
import type { AuditNote, ProposalRepository } from './proposal-repository.ts'
import { appended, cutOut, type Standing, standing } from './proposal-text.ts'

/**
 * How a decision reaches its file. What will be written is noted first, then the file is replaced, then it is noted that it
 * was: a process that ends in between is followed by one that finds out how far it came. A file that somebody edited
 * meanwhile is read again, never overwritten.
 */
export interface ProposalWriting {
  /** Notes a person's consent and writes. `undefined`: somebody else decided first. */
  confirm(proposal: KeptProposal, by: string, time: string, note: AuditNote): Promise<KeptProposal | undefined>
  /** Notes that it is taken back and does so. Rejects with `changed` where it cannot be told apart any more. */
  undo(proposal: KeptProposal, by: string, time: string, note: AuditNote): Promise<KeptProposal | undefined>
  /** Goes on with what was begun, until it is done or put back. Rejects with why it was put back. */
  finish(proposal: KeptProposal): Promise<KeptProposal>
}

type Begun = Extract<Stage, { type: 'confirming' | 'undoing' }>

/** How often a file that somebody edits at the same moment is read again. */
const MOST_ATTEMPTS = 20

export function createProposalWriting({
  repository,
  subjects,
}: {
  readonly repository: ProposalRepository
  readonly subjects: Pick<Subjects, 'text' | 'replace'>
}): ProposalWriting {
  async function finish(proposal: KeptProposal): Promise<KeptProposal> {
    let now = proposal
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const { stage } = now
      if (stage.type !== 'confirming' && stage.type !== 'undoing') return now
      now = (await further(now, stage)) ?? (await repository.get(now.id))
    }
    if (now.stage.type === 'confirming' || now.stage.type === 'undoing') {
      const name = changedFile(now.file)
      const busy = new SubjectError('changed', `${name} is being edited all the time. Try again in a moment.`)
      await putBack(now, now.stage, busy)
      throw busy
    }
    return now
  }

  /** One attempt. Answers how it stands then; `undefined` where that has to be looked up. */
  async function further(proposal: KeptProposal, stage: Begun): Promise<KeptProposal | undefined> {
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

  /** Somebody edited the file since: what was wanted may stand there already, or is worked out anew. */
  async function planAgain(
    proposal: KeptProposal,
    stage: Begun,
    before: string,
    now: string,
  ): Promise<KeptProposal | undefined> {
    const { content } = proposal
    const places = standing(now, content)
    if (stage.type === 'confirming') {
      const stands = places.length > standing(before, content).length
      if (stands) return done(proposal, stage, { before, after: appended(before, content) })
      const change = await repository.keepTexts(now, appended(now, content))
      return repository.advance(proposal, { ...stage, change })
    }
    if (places.length === 0) return done(proposal, stage, { before, after: now })
    const place = onlyOne(places)
    if (!place) {
      const unclear = await notApart(proposal, places.length, now)
      await putBack(proposal, stage, unclear)
      throw unclear
    }
    const addedTo = (await repository.texts(stage.confirmed.change)).before
    const change = await repository.keepTexts(now, cutOut(now, place, addedTo))
    return repository.advance(proposal, { ...stage, change })
  }

  async function done(
    proposal: KeptProposal,
    stage: Begun,
    { before, after }: { readonly before: string; readonly after: string },
  ): Promise<KeptProposal | undefined> {
    const { by, time, change } = stage
    const diff = await changeOf(proposal.file, before, after)
    if (stage.type === 'undoing') return repository.advance(proposal, { type: 'undone', by, time, diff })
    return repository.advance(proposal, { type: 'confirmed', by, time, change, diff })
  }

  async function textNow(proposal: KeptProposal, stage: Begun): Promise<string> {
    try {
      return await subjects.text(proposal.file)
    } catch (error) {
      // Nothing of it is there to be written any more. Whatever else cannot be read may still hold what was written.
      if (error instanceof SubjectError && error.code === 'not-found') await putBack(proposal, stage, error)
      throw error
    }
  }

  async function putBack(proposal: KeptProposal, stage: Begun, error: unknown): Promise<void> {
    const reason = errorMessage(error)
    const back: Stage = stage.type === 'confirming' ? { type: 'waiting' } : stage.confirmed
    await repository.advance(proposal, back, { rule: stage.by, ok: false, reason })
  }

  async function notApart({ id, file, stage }: KeptProposal, places: number, now: string): Promise<SubjectError> {
    const name = changedFile(file)
    const found = places === 0 ? 'do not stand there as they were added' : `stand there ${places} times`
    const confirmed = stage.type === 'undoing' ? stage.confirmed : stage
    const wrote = confirmed.type === 'confirmed' ? (await repository.texts(confirmed.change)).after : ''
    return new SubjectError(
      'changed',
      `${name} was edited since, and the lines of ${id} ${found}. Nothing is changed; edit the file by hand.`,
      { proposal: id, file: name, diff: await changeOf(file, wrote, now) },
    )
  }

  return {
    finish,
    async confirm(proposal, by, time, note) {
      const before = await subjects.text(proposal.file)
      const change = await repository.keepTexts(before, appended(before, proposal.content))
      const begun = await repository.advance(proposal, { type: 'confirming', by, time, change }, note)
      return begun && finish(begun)
    },
    async undo(proposal, by, time, note) {
      const { stage: confirmed, file, content } = proposal
      if (confirmed.type !== 'confirmed') return undefined
      const written = await repository.texts(confirmed.change)
      const now = await subjects.text(file)
      const places = standing(now, content)
      const place = onlyOne(places)
      if (now !== written.after && !place) throw await notApart(proposal, places.length, now)
      const rest = now === written.after || !place ? written.before : cutOut(now, place, written.before)
      const change = await repository.keepTexts(now, rest)
      const begun = await repository.advance(proposal, { type: 'undoing', by, time, change, confirmed }, note)
      return begun && finish(begun)
    },
  }
}

function onlyOne(places: readonly Standing[]): Standing | undefined {
  return places.length === 1 ? places[0] : undefined
}

/** An empty file and none look the same: every line is one that is added. */
export async function changeOf(file: SubjectFile, before: string, after: string): Promise<string> {
  return fileDiff(changedFile(file), before === '' ? undefined : before, after)
}
