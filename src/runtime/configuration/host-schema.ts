import { z } from 'zod'
import { homePath, milliseconds, modelId, share, tokens } from '../../capability.ts'
import { type Layout, placements, usualLayout } from '../../context.ts'
import type { Provider } from '../../model.ts'
import { nearestName } from '../../platform.ts'
import { gateway } from './gateway-schema.ts'
import { budget, people, usDollars } from './people-schema.ts'
import { providersSchema } from './providers-schema.ts'
import { storeSetting } from './store-schema.ts'

interface HostSchemaOptions {
  readonly layouts: Readonly<Record<string, Layout>>
  readonly providers: readonly Provider[]
  /** Keys of capabilities inside one of the host's own, such as `context`, by its name. */
  readonly inside: (section: string) => z.ZodRawShape
  readonly sections: z.ZodRawShape
}

const layerPlacements = z.record(
  z.string(),
  z
    .enum([...placements, 'auto'])
    .describe('`auto`: the cheaper of `preamble` and `before-input`, by the last calls of the session.'),
)
const timeZone = z.string().refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')

const rates = z.strictObject({
  input: usDollars.describe('US dollars per million prompt tokens.'),
  cachedInput: usDollars.optional().describe('US dollars per million prompt tokens read from the cache.'),
  cacheWrite: usDollars.optional().describe('US dollars per million prompt tokens written to the cache.'),
  cacheWriteLonger: usDollars
    .optional()
    .describe('The same where they are kept for longer. Without it no longer life is asked for.'),
  output: usDollars.describe('US dollars per million tokens of an answer.'),
})

const price = rates.extend({
  above: z
    .strictObject({ tokens: z.int().min(1).describe('Size of the prompt, tokens.'), price: rates })
    .optional()
    .describe('The price of the whole call where its prompt has more tokens.'),
  since: z.iso.date().optional().describe('The first day on which the price holds, in UTC.'),
  until: z.iso.date().optional().describe('The last day for which it is promised. Later `foreword doctor` names it.'),
})

const cache = z.strictObject({
  kind: z
    .enum(['automatic', 'marked'])
    .describe('`automatic`: any repeated beginning is cached. `marked`: up to marks in the request.'),
  minimumTokens: tokens().describe('Shorter prompts are not cached, tokens.'),
  step: z.int().min(1).optional().describe('Reuse is counted in steps of so many tokens.'),
  lifetimeSeconds: z.int().min(1).describe('How long a prompt stays cached, seconds.'),
  answers: z.literal(true).optional().describe('The answer stays in the cache behind its prompt.'),
  slots: z
    .literal(true)
    .optional()
    .describe('A later request, such as one for a note, leaves in the cache only what both begin with.'),
})

const model = z.strictObject({
  window: z.int().min(1).optional().describe('Prompt and answer together, tokens.'),
  maxOutput: z.int().min(1).optional().describe('The longest answer, tokens.'),
  tools: z.boolean().optional().describe('Whether the model can call tools.'),
  vision: z.boolean().optional().describe('Whether the model can see images.'),
  audio: z.boolean().optional().describe('Whether the model hears recordings.'),
  reasoning: z.boolean().optional().describe('Whether the model reasons before it answers.'),
  free: z
    .boolean()
    .optional()
    .describe(
      'Whether its calls cost nothing. Without it, a model at an address of this machine or a private network is free unless its price is known; `false` is for a server there that passes calls on to a paid service.',
    ),
  toolChoiceNone: z.boolean().optional().describe('Whether the model can be asked to answer without a tool.'),
  price: price.optional().describe('What the model costs.'),
  cache: cache.optional().describe('How the provider caches prompts.'),
  fallback: z
    .array(modelId())
    .optional()
    .describe('Models that are asked in its place while its provider fails, in this order: PROVIDER/MODEL.'),
})

const cut = z.strictObject({
  unit: z.enum(['turn', 'message']).optional().describe('What is dropped: whole turns, or single messages.'),
  lowWater: share().optional().describe('Share of what is available that a cut leaves filled, 0 to 1.'),
})

const completions = z.strictObject({
  cut: z
    .enum(['none', 'auto'])
    .default('none')
    .describe(
      'What happens to messages outside a session that do not fit: they are refused, or the oldest are left out.',
    ),
  prompt: z
    .boolean()
    .default(false)
    .describe('Whether the prompt and the other layers of this home are added to calls outside a session.'),
})

const agent = z.strictObject({
  maxSteps: z.int().min(1).max(1000).default(12).describe('Model calls that one turn may make.'),
  workspace: homePath({ whenMissing: 'The start creates an empty one. To use another folder, name it.' })
    .default('workspace')
    .describe('Folder of AGENTS.md and of what file tools may touch; a relative path is relative to the home.'),
  toolTimeoutMs: milliseconds().default(120_000).describe('Time limit of a tool that declares none, ms.'),
  maxOpenTurns: z
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe('How many turns of all sessions may be accepted and not ended. More are refused with `overloaded`, 503.'),
  turnsAtOnce: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('How many turns of all sessions run at once; the others wait. All of them unless given.'),
  maxAnswerMs: milliseconds()
    .default(1_800_000)
    .describe('How long one answer of a model may take, ms. What the model said until then is kept.'),
  retryForMs: z
    .int()
    .min(0)
    .max(600_000)
    .default(60_000)
    .describe('How long a call that failed before its first word is retried, ms: a provider may be restarting.'),
  maxResultChars: z
    .int()
    .min(500)
    .default(24_000)
    .describe('The most of one tool result that the model is shown, characters. What is longer is stored whole.'),
  maxTurnResultChars: z
    .int()
    .min(2_000)
    .default(240_000)
    .describe('The most of all tool results of one turn that the model is shown, characters.'),
  reasoning: z
    .enum(['none', 'low', 'medium', 'high'])
    .optional()
    .describe('How much a model that can reason should. As its provider has it unless given.'),
})

const audit = z.strictObject({
  checkpoints: z
    .array(z.string().refine(isCheckpointTarget, 'must be a file, `syslog`, `git:FOLDER`, or an http(s) address'))
    .default(['audit-checkpoints.jsonl'])
    .describe(
      'Where signed checkpoints of the audit are written: files, `syslog`, `git:FOLDER`, http(s) addresses. Empty: nowhere.',
    ),
  checkpointRecords: z
    .int()
    .min(1)
    .default(100)
    .describe('A checkpoint is taken after so many records, and whenever the gateway stops.'),
  checkpointMinutes: z
    .number()
    .min(0.1)
    .max(1440)
    .default(10)
    .describe('A checkpoint is taken after so many minutes in which there were new records.'),
})

const days = () => z.int().min(1).max(36_500)

const keep = z.strictObject({
  bodyDays: days()
    .default(365)
    .describe(
      'How long the bodies of passed-through calls, and their answers, are kept after the last call of their session, days. What was counted of them stays.',
    ),
  setAsideDays: days()
    .default(90)
    .describe('How long files that programs made in the place of yours are kept in data/set-aside, days.'),
})

/** All of `config.json`. Every key may be left out; an unknown one is a problem, since it would silently do nothing. */
export function hostSchema({ layouts, providers, inside, sections }: HostSchemaOptions) {
  return z.strictObject({
    $schema: z.string().optional().describe('JSON Schema of this file, for editors.'),
    gateway: gateway
      .extend(inside('gateway') as object)
      .prefault({})
      .describe('Where the gateway listens, and what it requires of callers.'),
    model: z
      .string()
      .min(1)
      .optional()
      .describe('Model for sessions that choose none: PROVIDER/MODEL. The best available one unless given.'),
    providers: providersSchema(providers)
      .default({})
      .describe('Connections to models, by the name that model ids begin with.'),
    models: z
      .record(z.string(), model)
      .default({})
      .describe('Facts of models, by PROVIDER/MODEL, over the built-in ones.'),
    context: contextSchema(layouts, inside('context')).prefault({}).describe('How the context of a call is assembled.'),
    agent: agent
      .extend(inside('agent') as object)
      .prefault({})
      .describe('How a turn runs.'),
    budgets: z
      .array(budget)
      .default([])
      .describe('Limits in money or tokens. A call that could pass one of them waits until you decide.'),
    people: people.prefault({}).describe('What holds for each of the other people of this gateway.'),
    audit: audit.prefault({}).describe('How it is proven later that the audit was not changed.'),
    store: storeSetting
      .optional()
      .describe(
        'PostgreSQL database for sessions, calls and their contents: its address, or `{"address": …}` with the password by variable or file. A file of the home unless given.',
      ),
    keep: keep.prefault({}).describe('How long what gathers by itself is kept.'),
    ...(sections as object),
    channels: z
      .strictObject(inside('channels'))
      .prefault({})
      .describe('Where people talk, besides the browser and the terminal.'),
    plugins: z.array(z.string().min(1)).default([]).describe('Modules of further plugins, in order.'),
    capabilities: z
      .array(z.string().min(1))
      .default([])
      .describe('Modules of further capabilities, in order: paths that begin with ./, or names of packages.'),
  })
}

/** The keys of the host, with every default in its place and every path as it was written. */
export type HostShape = z.infer<ReturnType<typeof hostSchema>>

function contextSchema(layouts: HostSchemaOptions['layouts'], inside: z.ZodRawShape) {
  const layoutNames = Object.keys(layouts)
  const layoutName = z.enum(layoutNames as [string, ...string[]])
  const changedLayout = z.strictObject({
    extends: layoutName.describe('The layout that is changed.'),
    placements: layerPlacements.optional().describe('Placements of layers, by layer.'),
    priorities: z
      .record(z.string(), z.enum(['required', 'high', 'normal', 'low']))
      .optional()
      .describe('Priorities of layers, by layer.'),
    cut: cut.optional().describe('How history is cut.'),
    headShare: share().optional().describe('Share of the available tokens that the head may use, 0 to 1.'),
  })
  return z
    .strictObject({
      layout: z
        .union([layoutName, changedLayout])
        .default(usualLayout)
        .describe(
          `Placements of layers and how history is cut: ${layoutNames.join(', ')}, or one of them with changes.`,
        ),
      headShare: share()
        .optional()
        .describe('Share of the available tokens that tools, system and preamble may use, 0 to 1.'),
      lowWater: share().optional().describe('Share of what is available that a cut leaves filled, 0 to 1.'),
      reserve: z
        .int()
        .min(1)
        .optional()
        .describe(
          'Room for the answer, tokens. Unless given, the longest answer of the model where that leaves half of the window, else a quarter of it, at most 8192.',
        ),
      margin: tokens()
        .optional()
        .describe("Room for the counter's error, tokens. Learned from the provider unless given."),
      placements: layerPlacements.default({}).describe('Placements of layers, by layer: these change the layout.'),
      notes: z
        .enum(['model', 'index', 'off'])
        .default('model')
        .describe(
          'What stands in the place of turns that are cut out: a note that the model writes in the background, with an index (`model`), the index alone (`index`), or nothing (`off`). Only for layouts with notes, such as auto.',
        ),
      cutWhen: z
        .enum(['full', 'cheaper'])
        .default('full')
        .describe(
          'When turns are cut out: when the prompt is full (`full`), or also where the calls that are expected win clearly by a smaller prompt, at the prices of the model (`cheaper`). Only for layouts with notes, such as auto.',
        ),
      counter: z.enum(['tokenx', 'o200k']).default('tokenx').describe('Counter that estimates tokens before a call.'),
      ...(inside as object),
      completions: completions.prefault({}).describe('Calls of `/v1` that belong to no session.'),
      timeZone: timeZone
        .optional()
        .describe(
          "Time zone of the date that the model is told and of dates in a search of the history. The machine's unless given.",
        ),
    })
    .superRefine(({ layout, placements: beside }, { addIssue }) => {
      if (typeof layout === 'string') return
      const known = Object.keys({ ...layouts[layout.extends]?.placements, ...layout.placements, ...beside })
      for (const name of Object.keys(layout.priorities ?? {})) {
        if (known.includes(name)) continue
        const near = nearestName(name, known)
        const hint =
          near === undefined ? `name it in placements too, or use one of ${known.join(', ')}` : `did you mean ${near}`
        addIssue({
          code: 'custom',
          path: ['layout', 'priorities', name],
          message: `is not a layer with a placement: ${hint}`,
        })
      }
    })
}

/** An address has to be one; everything else could be a path. */
function isCheckpointTarget(text: string): boolean {
  if (/^https?:/.test(text)) return URL.canParse(text) && /^https?:\/\/[^/]/.test(text)
  return !/^(?:$|(?:git|syslog):$|(?!git:|syslog:)[a-z][a-z0-9+.-]*:)/i.test(text)
}

function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
