import { z } from 'zod'

export const logRecord = z.object({
  timestamp: z.string(),
  op: z.string(),
  details: z.record(z.string(), z.unknown()).describe('All other keys of the line.'),
})

export const gapRecord = z.looseObject({
  timestamp: z.string(),
  description: z.string(),
  intent_category: z.string(),
})

/** What is known of a subject: always with every key. */
export const subjectContext = z.object({
  tastes: z.object({
    default: z.string(),
    genres: z.record(z.string(), z.string()),
    conflicts: z
      .array(z.object({ point: z.string(), files: z.array(z.string()) }))
      .describe('Lines that stand in two or more genre files.'),
  }),
  brief: z.object({ raw: z.string(), intent: z.string(), tastes: z.array(z.string()) }),
  notes: z.object({ summary: z.string(), truncated: z.boolean() }),
  recent_log: z.array(logRecord).describe('The last 10, newest first.'),
  recent_gaps: z.array(gapRecord).describe('The last 10, newest first.'),
})

export const warnings = z.array(z.string()).describe('What was odd about the files that it was read from.')

export const subjectRow = z.object({
  id: z.string(),
  title: z.string().describe('The first line of the brief that says something.'),
  updated: z.string(),
  waiting: z.number().describe('Proposals about its notes that wait for a person.'),
})

export const proposalState = z.enum(['waiting', 'confirmed', 'declined', 'undone'])

export const proposal = z.looseObject({
  id: z.string(),
  time: z.string(),
  file: z.discriminatedUnion('type', [
    z.object({ type: z.literal('notes'), subject: z.string() }),
    z.object({ type: z.literal('taste'), name: z.string() }),
  ]),
  content: z.string().describe('What is added at the end of the file.'),
  category: z.enum(['appearance', 'process', 'value']).optional(),
  digest: z.string(),
  diff: z.string().describe('A unified diff: of what it would do while it waits, and of what was done afterwards.'),
  by: z.looseObject({ tool: z.string() }).describe('Which session, turn and tool asked for it.'),
  state: z.looseObject({ type: proposalState }),
})
