import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../capability.ts'
import { digestSchema, fileVersionsSchema } from '../schema.ts'

const text = z.string().max(500_000, 'is longer than 500,000 characters')
const name = z.string().min(1).max(200)
const key = z.string().max(500)

const step = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('allow'), name }),
  z.strictObject({ do: z.literal('deny'), name }),
  z.strictObject({ do: z.literal('set'), path: z.array(key).min(1).max(10), value: z.unknown() }),
  z.strictObject({ do: z.literal('append'), path: z.array(key).min(1).max(10), value: z.unknown() }),
  z.strictObject({
    do: z.literal('remove'),
    path: z
      .array(z.union([key, z.int().min(0)]))
      .min(1)
      .max(10),
  }),
])

const mode = z.enum(['off', 'allowlist', 'full'])

const state = z.enum(['refused', 'ask', 'allowed'])
const decision = z.object({
  access: state,
  rule: z.string(),
  reason: z.string().optional(),
  afterUntrusted: z
    .enum(['ask', 'refuse', 'allow'])
    .optional()
    .describe('What is set for calls after texts of others. Absent: the tool decides.'),
})

const rules = z.array(
  z.object({
    rule: z.string(),
    name: z.string().describe('A name or pattern of tools, the name of a preset, or a prefix of commands.'),
    settings: z.string().optional().describe('What it sets.'),
    matches: z.array(z.string()).describe('Known tools that it matches, or earlier commands that it allows.'),
    risk: z.string().optional().describe('Why it allows more than it seems to.'),
    fault: z.string().optional().describe('Why it allows nothing.'),
  }),
)

const policy = z.object({
  enabled: z.boolean(),
  mode,
  shell: z.object({ enabled: z.boolean(), mode, approval: z.string(), allowAnyCwd: z.boolean() }),
})

const view = z.object({
  path: z.string(),
  text: z.string(),
  digest: z.string().describe('SHA-256 of the text: what a change is based on.'),
  problems: z.array(z.string()).describe('Why nothing may run, with the line.'),
  overrides: z.array(z.string()).describe('Environment variables that override the file.'),
  rules,
  presets: z
    .array(
      z.object({
        name: z.string(),
        allows: z.string().describe('What it allows.'),
        leaves: z.string().describe('What it does not stop.'),
        commands: z.array(z.string()).describe('What its commands begin with.'),
        isAllowed: z.boolean().describe('It is in the policy.'),
      }),
    )
    .describe('Packaged commands that know their arguments.'),
  policy: policy.optional().describe('The settings of the text. Absent where it cannot be read.'),
  inForce: policy
    .optional()
    .describe(
      'The settings that count, where the file lets through more than was accepted. Absent where nothing waits.',
    ),
})

const preview = view.extend({
  digest: z.string().describe('SHA-256 of the file as it is now.'),
  difference: z.string().describe('Unified; empty where nothing would change.'),
  changes: z.array(z.object({ name: z.string(), before: decision, after: decision })),
  widens: z
    .array(
      z.object({
        kind: z.enum([
          'tool',
          'tools',
          'command',
          'preset',
          'folder',
          'sandbox',
          'network',
          'read',
          'write',
          'untrusted',
        ]),
        name: z.string(),
        before: state,
        after: state,
        rule: z.string(),
        risk: z.string().optional(),
      }),
    )
    .describe('What would be let through that is refused, or asked about, now.'),
  shown: z.string().describe('SHA-256 of what this preview shows: a change repeats it.'),
  trial: z.object({ before: decision, after: decision }).optional(),
})

/** The policy of tools for its owner. No tool reaches these endpoints. */
export function accessRoutes({ access }: Runtime): readonly Route[] {
  const tag = 'tools'
  return [
    route('GET /api/tool-access', {
      scope: 'admin',
      tag,
      summary: 'The file `tool-access.json`, and what each of its entries matches',
      answers: () => jsonAnswer('The file', view),
      handle: () => access.view(),
    }),
    route('POST /api/tool-access/preview', {
      scope: 'admin',
      tag,
      summary: 'Shows what a change of `tool-access.json` would let through. Writes nothing',
      body: z.strictObject({
        text: text.optional().describe('Default: the text of the file.'),
        steps: z.array(step).max(100).optional().describe('Changes of that text, in their order.'),
        trial: z
          .strictObject({ tool: name, command: z.string().max(20_000).optional() })
          .optional()
          .describe('A call to decide about, before and after.'),
      }),
      answers: () => jsonAnswer('The file as it would be', preview),
      handle: ({ body }) => access.preview(body),
    }),
    route('PUT /api/tool-access', {
      scope: 'admin',
      tag,
      summary: 'Writes `tool-access.json` as it was previewed; the content before is kept',
      description:
        'For a person who saw the preview: `shown` is its digest. Refused with `changed` where the file, or what it would let through, is another one now.',
      body: z.strictObject({
        text,
        digest: digestSchema.describe('The digest of the file that was read.'),
        shown: digestSchema.describe('`shown` of the preview.'),
      }),
      answers: () => jsonAnswer('The file', view),
      handle: ({ body, caller }) => access.save({ ...body, by: caller.by }),
    }),
    route('GET /api/tool-access/versions', {
      scope: 'admin',
      tag,
      summary: 'Lists the contents that `tool-access.json` has had, newest first',
      answers: () => jsonAnswer('The contents', fileVersionsSchema),
      handle: async () => ({ versions: await access.versions() }),
    }),
  ]
}
