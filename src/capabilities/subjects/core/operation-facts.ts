import { faultFinder, inputSchemas, outputSchemas, type SubjectOperationName } from './operation-schemas.ts'

export interface OperationFacts {
  readonly name: SubjectOperationName
  readonly title: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** JSON Schema of the data. */
  readonly outputSchema: Readonly<Record<string, unknown>>
  /** Changes nothing. */
  readonly readOnly: boolean
  /** What is wrong with an input, in words; `undefined` where nothing is. */
  faultOf(input: Readonly<Record<string, unknown>>): string | undefined
}

export const operationFacts: readonly OperationFacts[] = [
  {
    name: 'read_context',
    title: 'Read the context of a subject',
    description:
      'Reads what is known of a subject in one call: the tastes of its owner, its brief, its notes, and what was done last. ' +
      'Use it before you begin to work on a subject. Where a line stands in several tastes (conflicts), ask the person.',
    inputSchema: inputSchemas.readContext,
    outputSchema: outputSchemas.readContext,
    readOnly: true,
    faultOf: faultFinder('read_context', inputSchemas.readContext),
  },
  {
    name: 'read_full_notes',
    title: 'Read the notes of a subject',
    description:
      'Reads the notes of a subject page by page. Use it when read_context says that they are truncated; go on with ' +
      'next_offset until it is null.',
    inputSchema: inputSchemas.readFullNotes,
    outputSchema: outputSchemas.readFullNotes,
    readOnly: true,
    faultOf: faultFinder('read_full_notes', inputSchemas.readFullNotes),
  },
  {
    name: 'log_operation',
    title: 'Log an operation',
    description:
      'Adds a line to the log of a subject. Use it after you did something that the next session should know.',
    inputSchema: inputSchemas.logOperation,
    outputSchema: outputSchemas.logRecord,
    readOnly: false,
    faultOf: faultFinder('log_operation', inputSchemas.logOperation),
  },
  {
    name: 'log_gap',
    title: 'Log a gap',
    description:
      'Notes something that the words or tools at hand could not do for a subject. Use it when you have to leave a wish ' +
      'unmet or work around it.',
    inputSchema: inputSchemas.logGap,
    outputSchema: outputSchemas.gapRecord,
    readOnly: false,
    faultOf: faultFinder('log_gap', inputSchemas.logGap),
  },
  {
    name: 'propose_taste_update',
    title: 'Propose a taste',
    description:
      'Proposes to add something to the tastes of the owner, which hold for many subjects. It writes nothing: only a ' +
      'person can confirm it. Use it when the person has said how they like things to be.',
    inputSchema: inputSchemas.proposeTasteUpdate,
    outputSchema: outputSchemas.proposal,
    readOnly: false,
    faultOf: faultFinder('propose_taste_update', inputSchemas.proposeTasteUpdate),
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
    faultOf: faultFinder('propose_notes_update', inputSchemas.proposeNotesUpdate),
  },
]
