import { changedFile, SubjectError, type SubjectFile, type Subjects } from '../core.ts'
import { fileDiff } from '../../../tool.ts'
import { errorMessage } from '../../../platform.ts'
import type { AuditNote, KeptProposal, ProposalRepository, Stage } from './proposal-repository.ts'

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

/** A text with more at its end: as lines of its own, behind a blank line, in the line ends that the text has. */
export function appendLines(before: string, content: string): string {
  const end = /\r\n/.test(before) && !/(?<!\r)\n/.test(before) ? '\r\n' : '\n'
  const block = `${content.split('\n').join(end)}${end}`
  if (before === '') return block
  const closed = /[\r\n]$/.test(before) ? before : `${before}${end}`
  return endsWithBlankLine(closed) ? `${closed}${block}` : `${closed}${end}${block}`
}

interface LineRange {
  readonly start: number
  readonly end: number
}

function findLines(text: string, content: string): readonly LineRange[] {
  const lines = splitLines(text)
  // One search for the whole text is far faster than one for each line.
  const searched = `\n${lines.map(({ said }) => said).join('\n')}\n`
  const sought = `\n${content}\n`
  const height = content.split('\n').length
  const found: LineRange[] = []
  let line = 0
  let counted = 0
  for (let at = searched.indexOf(sought); at !== -1; at = searched.indexOf(sought, at + 1)) {
    for (; counted < at; counted++) if (searched[counted] === '\n') line++
    found.push({ start: lines[line]!.start, end: lines[line + height - 1]!.end })
  }
  return found
}

function removeLines(text: string, { start, end }: LineRange, addedTo: string): string {
  const head = text.slice(0, start)
  const addedBlank = addedTo !== '' && !endsWithBlankLine(addedTo)
  const kept = addedBlank && endsWithBlankLine(head) ? head.replace(/(?:\r\n|\n|\r)$/, '') : head
  return `${kept}${text.slice(end)}`
}

/** Lines of a proposal as they are kept: without blank ones around them, and with one kind of line end. */
export function trimLines(content: string): string {
  return content
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
}

function endsWithBlankLine(text: string): boolean {
  return /(?:^|\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)$/.test(text)
}

function splitLines(text: string): readonly { readonly said: string; readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g), ({ 0: whole, 1: said = '', index }) => ({
    said,
    start: index,
    end: index + whole.length,
  }))
}
