import { hash } from 'node:crypto'
import {
  type GapRecord,
  type LogRecord,
  type Proposal,
  type ProposalDecision,
  type Proposals,
  type ProposalState,
  SubjectError,
  type SubjectFile,
  type Subjects,
} from '../../src/capabilities/subjects/core/subjects.ts'
import type { NotesSummary } from '../../src/capabilities/subjects/notes-summaries.ts'
import { RuntimeError } from '../../src/capability.ts'

interface ScriptedSubject {
  readonly brief: string
  readonly log: LogRecord[]
  readonly gaps: GapRecord[]
}

export interface ScriptedSubjects {
  readonly subjects: Subjects
  readonly proposals: Proposals
  readonly summariseNotes: (subject: string) => Promise<NotesSummary>
}

/** Subjects in memory. Only what doors ask of them: nothing is cut, and no conflict is looked for. */
export function scriptedSubjects(time: string): ScriptedSubjects {
  const all = new Map<string, ScriptedSubject>()
  const texts = new Map<string, string>()

  function found(id: string): ScriptedSubject {
    const subject = all.get(id)
    if (!subject) throw new SubjectError('not-found', `There is no subject ${id}.`, { subject: id })
    return subject
  }
  const text = (file: SubjectFile): string => texts.get(JSON.stringify(file)) ?? ''
  const notesOf = (subject: string): string => text({ type: 'notes', subject })

  const subjects: Subjects = {
    list: async () =>
      [...all].map(([id, { brief }]) => ({ id, title: brief.split('\n')[0]!, updated: time })).toSorted(byId),
    any: async () => all.size > 0,
    async create(id, { brief = '' } = {}) {
      if (!/^[\w.-]+$/.test(id) || id.includes('..')) {
        throw new SubjectError('invalid-input', `${id} is no id of a subject.`)
      }
      if (all.has(id)) throw new SubjectError('exists', `There is a subject ${id} already.`)
      all.set(id, { brief, log: [], gaps: [] })
    },
    async context(id) {
      const { brief, log, gaps } = found(id)
      return {
        id,
        context: {
          tastes: { default: 'Keep it calm.', genres: { Night: 'Dark skies.\n' }, conflicts: [] },
          brief: { raw: brief, intent: brief, tastes: brief === '' ? [] : ['Night'] },
          notes: { summary: notesOf(id), truncated: false },
          recent_log: log.toReversed(),
          recent_gaps: gaps.toReversed(),
        },
        warnings: brief.includes('odd') ? ['log.jsonl: 1 line could not be read.'] : [],
      }
    },
    async notes(id, { offset = 0, limit = 200 } = {}) {
      found(id)
      const lines = notesOf(id).split('\n')
      const page = lines.slice(offset, offset + limit)
      const next = offset + page.length < lines.length ? offset + page.length : null
      return { text: page.join('\n'), offset, lines: page.length, total: lines.length, next_offset: next }
    },
    async logOperation(id, { op, details = {}, timestamp }) {
      const record = { timestamp, op, details }
      found(id).log.push(record)
      return record
    },
    async logGap(id, gap) {
      const record = { ...noGap, ...gap, image_id: id }
      found(id).gaps.push(record)
      return record
    },
    text: async (file) => text(file),
    async replace(file, change) {
      if (text(file) !== change.before) throw new SubjectError('changed', 'Somebody changed it.')
      texts.set(JSON.stringify(file), change.text)
    },
  }
  return {
    subjects,
    proposals: scriptedProposals(subjects, time),
    async summariseNotes(subject) {
      found(subject)
      const notes = notesOf(subject)
      if (notes === '') throw new RuntimeError('invalid-input', `The notes of ${subject} are short enough to be sent.`)
      const lines = notes.split('\n').length
      return { subject, text: 'In short.', model: 'rehearsal', covers: hash('sha256', notes), lines, time }
    },
  }
}

function scriptedProposals(subjects: Subjects, time: string): Proposals {
  const kept = new Map<string, Proposal>()

  async function get(id: string): Promise<Proposal> {
    const proposal = kept.get(id)
    if (!proposal) throw new SubjectError('not-found', `There is no proposal ${id}.`, { proposal: id })
    return proposal
  }
  const settle = (proposal: Proposal, state: ProposalState): Proposal => {
    kept.set(proposal.id, { ...proposal, state })
    return { ...proposal, state }
  }

  return {
    get,
    list: async ({ state } = {}) =>
      [...kept.values()].filter((each) => state === undefined || each.state.type === state),
    waiting: async () => [...kept.values()].flatMap(({ state, file }) => (state.type === 'waiting' ? [file] : [])),
    async propose(draft, by) {
      const file: SubjectFile =
        draft.type === 'notes' ? { type: 'notes', subject: draft.subject } : { type: 'taste', name: draft.name }
      if (draft.type === 'notes') await subjects.context(draft.subject)
      const id = `proposal-${kept.size + 1}`
      const name = draft.type === 'notes' ? 'notes.md' : `${draft.name}.md`
      const proposal: Proposal = {
        id,
        time,
        file,
        content: draft.content,
        ...(draft.type === 'taste' ? { category: draft.category } : {}),
        digest: hash('sha256', JSON.stringify(draft)),
        diff: `--- ${name}\n+++ ${name}\n@@ -0,0 +1 @@\n+${draft.content}\n`,
        by,
        state: { type: 'waiting' },
      }
      kept.set(id, proposal)
      return proposal
    },
    async decide(id, { type, digest, by, reason }: ProposalDecision) {
      const proposal = await get(id)
      if (proposal.state.type !== 'waiting') throw new SubjectError('decided', `${id} is decided already.`)
      if (proposal.digest !== digest) throw new SubjectError('decided', `${id} is not what was shown.`)
      if (type === 'decline') return settle(proposal, { type: 'declined', by, time, ...(reason ? { reason } : {}) })
      const before = await subjects.text(proposal.file)
      await subjects.replace(proposal.file, { before, text: `${before}${proposal.content}\n` })
      return settle(proposal, { type: 'confirmed', by, time })
    },
    async undo(id, by) {
      const proposal = await get(id)
      if (proposal.state.type !== 'confirmed') throw new SubjectError('decided', `${id} is not confirmed.`)
      const before = await subjects.text(proposal.file)
      const added = `${proposal.content}\n`
      if (!before.includes(added)) throw new SubjectError('changed', `Somebody changed what ${id} wrote.`)
      await subjects.replace(proposal.file, { before, text: before.replace(added, '') })
      return settle(proposal, { type: 'undone', by, time })
    },
  }
}

const noGap: Omit<GapRecord, 'description' | 'timestamp' | 'image_id'> = {
  session_id: null,
  snapshot_hash: null,
  intent: null,
  intent_category: 'uncategorized',
  missing_capability: null,
  operations_involved: [],
  vocabulary_used: [],
  satisfaction: null,
  workaround: null,
  notes: '',
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1
}
