import { z } from 'zod'
import { defined } from '../../../platform.ts'
import { outputSchemas } from '../core/subject-operations.ts'
import {
  listedSubject,
  type ListedSubject,
  notesPageSchema,
  proposalSchema,
  type SubjectFacts,
  type SubjectFile,
} from '../core/subjects.ts'
import { notesSummary } from '../notes-summaries.ts'
import type { SubjectService } from '../subject-service.ts'
import { json, limitSchema, decidedBySchema, digestSchema } from '../../../server.ts'
import { type Route, jsonAnswer, route, deciderOf } from '../../../capability.ts'

const gapBody = z.strictObject({
  description: z.string().regex(/\S/, 'expected words').max(10_000),
  intent: z.string().nullable().optional(),
  intent_category: z.string().min(1).max(200).optional(),
  missing_capability: z.string().nullable().optional(),
  operations_involved: z.array(z.string()).max(1000).optional(),
  vocabulary_used: z.array(z.string()).max(1000).optional(),
  satisfaction: z.literal([-1, 0, 1]).nullable().optional(),
  workaround: z.string().nullable().optional(),
  notes: z.string().optional(),
  session_id: z.string().nullable().optional(),
  snapshot_hash: z.string().nullable().optional(),
})

export function subjectRoutes(service: SubjectService, now: () => Date): readonly Route[] {
  const { subjects, proposals } = service
  const each = '/api/subjects/:subject'
  return [
    route('GET /api/subjects', {
      scope: 'read',
      summary: 'Lists subjects by id',
      answers: () =>
        jsonAnswer('All subjects, and the number of waiting proposals, including those about tastes', {
          subjects: z.array(listedSubject),
          waiting: z.number(),
        }),
      handle: async () => {
        const [all, waiting] = await Promise.all([subjects.list(), proposals.waiting()])
        return { subjects: all.map((facts) => subjectRow(facts, waiting)), waiting: waiting.length }
      },
    }),
    route('POST /api/subjects', {
      scope: 'talk',
      summary: 'Creates a subject',
      body: z.strictObject({
        id: z.string().min(1).max(200).describe('Name of its folder: letters, digits, `_`, `.` and `-`.'),
        brief: z.string().optional().describe('Text of its brief.md.'),
      }),
      answers: () => jsonAnswer('It is created', { id: z.string() }, 201),
      handle: async ({ body: { id, brief } }) => {
        await subjects.create(id, brief === undefined ? {} : { brief })
        return json({ id }, 201, { location: `/api/subjects/${encodeURIComponent(id)}` })
      },
    }),
    route(`GET ${each}`, {
      scope: 'read',
      summary: 'Returns a subject with its context and warnings about its files',
      answers: () =>
        jsonAnswer('The subject', {
          ...listedSubject.shape,
          context: subjectContextSchema,
          warnings: warningsSchema,
        }),
      handle: async ({ param }) => {
        const reading = await subjects.context(param('subject'))
        const [all, waiting] = await Promise.all([subjects.list(), proposals.waiting()])
        const facts = all.find(({ id }) => id === reading.id) ?? { id: reading.id, title: '', updated: '' }
        return { ...subjectRow(facts, waiting), context: reading.context, warnings: reading.warnings }
      },
    }),
    route(`GET ${each}/context`, {
      scope: 'read',
      summary: 'Returns the context of a subject, as the tool read_context does',
      description: 'Of its log and its gaps the last ten, newest first.',
      answers: () => jsonAnswer('The context', { context: subjectContextSchema, warnings: warningsSchema }),
      handle: async ({ param }) => {
        const { context, warnings: odd } = await subjects.context(param('subject'))
        return { context, warnings: odd }
      },
    }),
    route(`GET ${each}/notes`, {
      scope: 'read',
      summary: 'Returns the notes of a subject in pages of lines',
      query: z.strictObject({ offset: z.coerce.number().int().min(0).default(0), limit: limitSchema(200, 10_000) }),
      answers: () => jsonAnswer('A page', notesPageSchema),
      handle: ({ param, query }) => subjects.notes(param('subject'), query),
    }),
    route(`POST ${each}/log`, {
      scope: 'talk',
      summary: 'Adds a line to the log of a subject',
      body: z.strictObject({
        op: z.string().regex(/\S/, 'expected words').max(200).describe('What was done.'),
        details: z.record(z.string(), z.unknown()).optional(),
      }),
      answers: () => jsonAnswer('The line is on disk', logRecordSchema, 201),
      handle: async ({ param, body: { op, details } }) => {
        const entry = { op, ...defined({ details }), timestamp: now().toISOString() }
        return await subjects.logOperation(param('subject'), entry)
      },
    }),
    route(`POST ${each}/gaps`, {
      scope: 'talk',
      summary: 'Logs a gap: something that the available words or tools could not do',
      body: gapBody,
      answers: () => jsonAnswer('The line is on disk', gapRecordSchema, 201),
      handle: async ({ param, body: { description, ...known } }) => {
        const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
        const gap = { description, ...given, timestamp: now().toISOString() }
        return await subjects.logGap(param('subject'), gap)
      },
    }),
    route(`POST ${each}/summary`, {
      scope: 'talk',
      summary: 'Summarizes the notes of a subject with a model and keeps the summary until the notes change',
      answers: () => jsonAnswer('The summary and the hash of the summarized notes', notesSummary),
      handle: ({ param }) => service.summariseNotes(param('subject')),
    }),
  ]
}

function subjectRow({ id, title, updated }: SubjectFacts, waiting: readonly SubjectFile[]): ListedSubject {
  const own = waiting.filter((file) => file.type === 'notes' && file.subject === id)
  return { id, title, updated, waiting: own.length }
}

/** An endpoint and a tool answer alike (BEHAVIOURS §4). */
const [subjectContextSchema, logRecordSchema, gapRecordSchema] = (
  ['readContext', 'logRecord', 'gapRecord'] as const
).map((name) => z.fromJSONSchema(outputSchemas[name])) as [z.ZodType, z.ZodType, z.ZodType]

const warningsSchema = z.array(z.string()).describe('Warnings about the files of the subject.')

export function proposalRoutes({ proposals }: Pick<SubjectService, 'proposals'>): readonly Route[] {
  const each = '/api/proposals/:proposal'
  const tag = 'proposals'
  return [
    route('GET /api/proposals', {
      scope: 'read',
      tag,
      summary: 'Lists proposals, oldest first',
      query: z.strictObject({ state: proposalStateSchema.optional().describe('Only proposals in this state.') }),
      answers: () => jsonAnswer('Proposals', { proposals: z.array(proposalSchema) }),
      handle: async ({ query: { state } }) => ({
        proposals: await proposals.list(state === undefined ? {} : { state }),
      }),
    }),
    route(`GET ${each}`, {
      scope: 'read',
      summary: 'Returns a proposal',
      answers: () => jsonAnswer('The proposal, with its diff against the file as it is now', proposalSchema),
      handle: ({ param }) => proposals.get(param('proposal')),
    }),
    route(`POST ${each}/decision`, {
      scope: 'approve',
      summary: 'Confirms a proposal and writes it into its file, or declines it',
      description: 'The decision applies to exactly what was shown. A proposal is decided once.',
      body: z.strictObject({
        decision: z.enum(['confirm', 'decline']),
        digest: digestSchema.describe('The digest of what was shown.'),
        reason: z.string().max(2000).optional().describe('Why it is declined.'),
        by: decidedBySchema,
      }),
      answers: () => jsonAnswer('It is decided', proposalSchema),
      handle: async ({ param, body, caller }) => {
        const { decision: type, digest: shown } = body
        const reason = body.reason?.trim()
        const decision = { type, digest: shown, by: deciderOf(caller, body.by), ...(reason ? { reason } : {}) }
        return await proposals.decide(param('proposal'), decision)
      },
    }),
    route(`POST ${each}/undo`, {
      scope: 'approve',
      summary: 'Undoes a confirmed proposal',
      description:
        'Edits that people made since stay; where they cannot be separated from the addition, nothing changes.',
      body: z.strictObject({ by: decidedBySchema }),
      answers: () => jsonAnswer('It is undone', proposalSchema),
      handle: ({ param, body, caller }) => proposals.undo(param('proposal'), deciderOf(caller, body.by)),
    }),
  ]
}

const proposalStateSchema = z.enum(['waiting', 'confirmed', 'declined', 'undone'])
