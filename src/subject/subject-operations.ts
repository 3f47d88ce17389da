import type { OperationAnswer, OperationCaller, OperationParts, SubjectOperation } from './operation.ts'
import { faultIn, gapLists, gapTexts, subjectIn, tasteIn } from './operation-input.ts'
import { changedFile } from './subject-places.ts'
import { inputSchemas, outputSchemas } from './operation-schemas.ts'
import type { Proposal, ProposalDraft, TasteCategory } from './proposal.ts'
import type { GapEntry } from './subjects.ts'

type Input = Readonly<Record<string, unknown>>

/** What can be done with subjects, in the order in which it is offered (BEHAVIOURS §4). */
export function subjectOperations(parts: OperationParts): readonly SubjectOperation[] {
  return [readContext(parts), readFullNotes(parts), logOperation(parts), logGap(parts), ...proposing(parts)]
}

function readContext({ subjects }: OperationParts): SubjectOperation {
  return {
    name: 'read_context',
    title: 'Read the context of a subject',
    description:
      'Reads what is known of a subject in one call: the tastes of its owner, its brief, its notes, and what was done last. ' +
      'Use it before you begin to work on a subject. Where a line stands in several tastes (conflicts), ask the person.',
    inputSchema: inputSchemas.readContext,
    outputSchema: outputSchemas.readContext,
    readOnly: true,
    faultOf: faultIn('read_context', inputSchemas.readContext),
    async run(input) {
      const { context, warnings } = await subjects.context(subjectIn(input))
      return { data: { ...context }, warnings }
    },
  }
}

function readFullNotes({ subjects }: OperationParts): SubjectOperation {
  return {
    name: 'read_full_notes',
    title: 'Read the notes of a subject',
    description:
      'Reads the notes of a subject page by page. Use it when read_context says that they are truncated; go on with ' +
      'next_offset until it is null.',
    inputSchema: inputSchemas.readFullNotes,
    outputSchema: outputSchemas.readFullNotes,
    readOnly: true,
    faultOf: faultIn('read_full_notes', inputSchemas.readFullNotes),
    async run(input) {
      const id = subjectIn(input)
      const page = await subjects.notes(id, {
        ...(typeof input['offset'] === 'number' && { offset: input['offset'] }),
        ...(typeof input['limit'] === 'number' && { limit: input['limit'] }),
      })
      return answered({ image_id: id, ...page })
    },
  }
}

function logOperation({ subjects, time }: OperationParts): SubjectOperation {
  return {
    name: 'log_operation',
    title: 'Log an operation',
    description:
      'Adds a line to the log of a subject. Use it after you did something that the next session should know.',
    inputSchema: inputSchemas.logOperation,
    outputSchema: outputSchemas.logRecord,
    readOnly: false,
    faultOf: faultIn('log_operation', inputSchemas.logOperation),
    async run(input) {
      const { op, details } = input as { readonly op: string; readonly details?: Input }
      const entry = { op, timestamp: time(), ...(details !== undefined && { details }) }
      return answered({ ...(await subjects.logOperation(subjectIn(input), entry)) })
    },
  }
}

function logGap({ subjects, time }: OperationParts): SubjectOperation {
  return {
    name: 'log_gap',
    title: 'Log a gap',
    description:
      'Notes something that the words or tools at hand could not do for a subject. Use it when you have to leave a wish ' +
      'unmet or work around it.',
    inputSchema: inputSchemas.logGap,
    outputSchema: outputSchemas.gapRecord,
    readOnly: false,
    faultOf: faultIn('log_gap', inputSchemas.logGap),
    async run(input, caller) {
      const gap = gapEntry(input, caller, time())
      return answered({ ...(await subjects.logGap(subjectIn(input), gap)) })
    },
  }
}

function gapEntry(input: Input, { session }: OperationCaller, timestamp: string): GapEntry {
  const given = [...gapTexts, ...gapLists, 'satisfaction'].filter((key) => input[key] !== undefined)
  return {
    ...(session !== undefined && { session_id: session }),
    ...Object.fromEntries(given.map((key) => [key, input[key]])),
    description: String(input['description']),
    timestamp,
  }
}

function proposing({ proposals }: OperationParts): readonly SubjectOperation[] {
  const propose = async (draft: ProposalDraft, caller: OperationCaller, tool: string) =>
    waiting(await proposals.propose(draft, { ...caller, tool }))
  return [
    {
      name: 'propose_taste_update',
      title: 'Propose a taste',
      description:
        'Proposes to add something to the tastes of the owner, which hold for many subjects. It writes nothing: only a ' +
        'person can confirm it. Use it when the person has said how they like things to be.',
      inputSchema: inputSchemas.proposeTasteUpdate,
      outputSchema: outputSchemas.proposal,
      readOnly: false,
      faultOf: faultIn('propose_taste_update', inputSchemas.proposeTasteUpdate),
      run(input, caller) {
        const { content, category } = input as { readonly content: string; readonly category: TasteCategory }
        return propose({ type: 'taste', name: tasteIn(input), content, category }, caller, 'propose_taste_update')
      },
    },
    {
      name: 'propose_notes_update',
      title: 'Propose a note',
      description:
        'Proposes to add something to the notes of one subject. It writes nothing: only a person can confirm it. Use it ' +
        'for what later sessions on this subject should remember.',
      inputSchema: inputSchemas.proposeNotesUpdate,
      outputSchema: outputSchemas.proposal,
      readOnly: false,
      faultOf: faultIn('propose_notes_update', inputSchemas.proposeNotesUpdate),
      run(input, caller) {
        const draft = { type: 'notes', subject: subjectIn(input), content: String(input['content']) } as const
        return propose(draft, caller, 'propose_notes_update')
      },
    },
  ]
}

function waiting({ id, file, category, diff, digest }: Proposal): OperationAnswer {
  return answered({
    proposal_id: id,
    status: 'waiting for a person',
    file: changedFile(file),
    category: category ?? null,
    diff,
    digest,
    confirm: `foreword subjects confirm ${id}`,
  })
}

function answered(data: Input): OperationAnswer {
  return { data, warnings: [] }
}
