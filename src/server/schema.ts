import { z } from 'zod'
import { turnOutcomeTypes } from '../session.ts'

/** A list's `limit`. */
export const limit = (usual: number, most: number) =>
  z.coerce.number().int().min(1).max(most).default(usual).describe(`At most so many. ${usual} unless said.`)

/** What narrows a list down by id. */
export const beginning = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Only those whose id begins so, by id: a whole id comes first.')

/** `SEQ` of an entry, `SEQ.N` of the n-th delta behind it, or `live`. */
export const eventId = z
  .string()
  .regex(/^(?:live|\d{1,15}(?:\.\d{1,15})?)$/, 'expected the id of an event, such as 12 or 12.3, or "live"')

export const errorAnswer = z
  .object({ error: z.looseObject({ code: z.string(), message: z.string() }) })
  .meta({ description: 'What went wrong, as a code for programs and a sentence for people, with the facts at hand.' })

export const submitted = z.object({
  session: z.string(),
  turn: z.string(),
  seq: z.number().describe('Place of the input in the log of the session.'),
  repeated: z.boolean().describe('The idempotency key was known: this is the turn that it began.'),
})

export const sessionRow = z.looseObject({
  id: z.string(),
  title: z.string().optional(),
  created: z.string(),
  updated: z.string(),
  turns: z.number(),
  entries: z.number(),
  model: z.string().optional(),
  agent: z.string().optional().describe('Id of the agent that answers; the default agent where absent.'),
  project: z.string().optional(),
  subject: z.string().optional().describe('Id of the subject that it is about.'),
})

export const sessionMemory = z.object({
  session: z.string(),
  on: z.object({ previousSession: z.boolean(), toolHistory: z.boolean() }).describe('In the configured layout.'),
  layers: z.array(
    z.object({
      id: z.enum(['memory', 'previous-session', 'tool-history']),
      text: z.string().describe('As the model reads it; empty where there is nothing.'),
      tokens: z.number(),
      from: z.array(z.string()).describe('Sessions whose words it holds.'),
      origin: z.string(),
    }),
  ),
  own: z
    .object({
      session: z.string(),
      text: z.string(),
      by: z.string().optional().describe('The model that wrote it; absent: by rule from the log.'),
      covers: z.string().describe('SHA-256 of what it was made of.'),
      time: z.string(),
    })
    .optional()
    .describe('Its own summary, for the next session; absent where nothing was said in it.'),
  forgotten: z.boolean().describe('Nothing of it is given to other sessions.'),
})

export const turnRow = z.looseObject({
  session: z.string(),
  turn: z.string(),
  ordinal: z.number(),
  state: z.enum(['queued', 'running', ...turnOutcomeTypes]),
  inputTime: z.string(),
})

export const turnView = z.object({
  session: z.string(),
  turn: z.string(),
  outcome: z.looseObject({ type: z.enum(turnOutcomeTypes) }).optional(),
  notice: z.string().optional().describe('How it ended, for a person; absent where it ended well, or runs.'),
  text: z.string(),
  citations: z
    .array(z.looseObject({ citation: z.number(), document: z.string(), title: z.string(), url: z.string().optional() }))
    .optional()
    .describe('What the numbers in its answers stand for, each once, in their order; absent where they cite nothing.'),
  calls: z.array(z.string()),
  totals: z.object({
    calls: z.number(),
    promptTokensBilled: z.number().optional(),
    cachedTokensBilled: z.number().optional(),
    outputTokensBilled: z.number().optional(),
  }),
  warnings: z
    .array(z.object({ code: z.string(), message: z.string() }))
    .describe('What is to be said of its calls, whose answers stand.'),
})

export const entry = z.looseObject({ session: z.string(), seq: z.number(), time: z.string(), type: z.string() })

export const manifest = z.looseObject({ version: z.literal(1), layout: z.string(), used: z.number() })

export const requestView = z.looseObject({
  tools: z.array(z.looseObject({})),
  system: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })),
})

/** SHA-256 of what a person was shown. */
export const digest = z.string().min(1).max(200)

const callDescription = z.looseObject({
  tool: z.string(),
  input: z.unknown(),
  argv: z.array(z.string()).optional().describe('Program and arguments, as the system is given them.'),
  command: z.string().optional().describe('Text for a shell, as it is.'),
  folder: z.string().optional(),
  diff: z.string().optional().describe('What it changes in a file, as a unified diff.'),
  facts: z.record(z.string(), z.unknown()).optional(),
})

export const toolStatus = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: z.looseObject({}),
  from: z.string().describe('The plugin it comes from; `foreword` for its own.'),
  access: z.enum(['allowed', 'ask', 'refused']),
  rule: z.string().describe('What decided.'),
  reason: z.string().optional(),
  offeredIn: z.string().optional().describe('Which sessions it is made for; any where absent.'),
  withheld: z
    .looseObject({ name: z.string(), digest: z.string() })
    .optional()
    .describe('Its definition has changed since it was accepted.'),
})

export const toolTrial = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('refused'), rule: z.string(), error: z.string() }),
  z.looseObject({ type: z.literal('allowed'), rule: z.string(), call: callDescription, digest: z.string() }),
  z.looseObject({ type: z.literal('ask'), rule: z.string(), call: callDescription, digest: z.string() }),
])

export const toolResult = z.discriminatedUnion('ok', [
  z.looseObject({ ok: z.literal(true), output: z.string() }),
  z.looseObject({ ok: z.literal(false), error: z.string(), output: z.string().optional() }),
])

/** Through which door a person decided. */
export const decidedBy = z
  .enum(['http', 'cli', 'web'])
  .default('http')
  .describe('Through which door the person decided.')

export const waitingApproval = z.looseObject({
  approval: z.string(),
  session: z.string(),
  turn: z.string(),
  toolCallId: z.string(),
  time: z.string(),
  rule: z.string(),
  request: callDescription,
  digest: z.string(),
})

const fileState = z.discriminatedUnion('type', [
  z.object({ type: z.literal('processing') }),
  z.object({
    type: z.literal('ready'),
    reading: z.looseObject({
      kind: z.enum(['text', 'table', 'image']),
      characters: z.number().optional(),
      tokens: z.number().optional().describe('By the counter that is named; only of text.'),
      indexed: z.boolean().optional().describe('It can be searched.'),
    }),
  }),
  z.object({ type: z.literal('failed'), code: z.string(), reason: z.string() }),
])

export const fileRow = z.looseObject({
  id: z.string(),
  name: z.string(),
  time: z.string(),
  owner: z.object({ type: z.enum(['session', 'agent', 'project']), id: z.string() }),
  bytes: z.number(),
  hash: z.string().describe('SHA-256.'),
  state: fileState,
  repeated: z.literal(true).optional().describe('Handing it in: its owner has this very file already.'),
})

export const refusedFile = z.object({ name: z.string(), code: z.string(), message: z.string() })

/** Files that go with a message. */
export const attachments = z
  .array(z.string().min(1))
  .max(50)
  .optional()
  .describe(
    'Ids of files, in the order in which they stand above the message. Files that are still being read are waited for.',
  )

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
