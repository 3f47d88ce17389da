import { isIP } from 'node:net'
import { z } from 'zod'
import { providers } from '../../capabilities/providers.ts'
import { layouts } from '../../context.ts'
import type { Provider } from '../../model.ts'
import { nearestName } from '../../platform.ts'
import { variable } from './variable.ts'
import { subjects } from '../../capabilities/subjects/subjects-schema.ts'
import { telegram } from '../../capabilities/telegram/telegram-schema.ts'
import { providersSchema } from './providers-schema.ts'

const layoutNames = Object.keys(layouts)
const placement = z.enum(['system', 'preamble', 'before-input', 'after-input'])
const placements = z.record(z.string(), placement)
const share = z.number().min(0).max(1)
const tokens = z.int().min(0)
/** As far as timers reach: a later one would go off at once. */
const milliseconds = z.int().min(1).max(2_147_483_647)
const usDollars = z.number().min(0)
const timeZone = z.string().refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
const layoutName = z.enum(layoutNames as [string, ...string[]])

const gateway = z.strictObject({
  port: z.int().min(0).max(65_535).default(4141).describe('Port that the gateway listens on; 0 takes a free one.'),
  bind: z
    .string()
    .refine(isAddress, 'must be an address or a name, without a scheme, a port or a path')
    .default('127.0.0.1')
    .describe('Address that the gateway listens on. Others than loopback need a token of at least 24 characters.'),
  token: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be a word of printable characters without spaces')
    .optional()
    .describe('Token that callers bring. Better left out: the gateway makes one at its first start, in data/token.'),
  allowedHosts: z
    .array(z.string())
    .default([])
    .describe('Names besides loopback and the bind address that a caller may use for the gateway.'),
  maxBodyBytes: z.int().min(1024).default(1_048_576).describe('The largest body of an HTTP request, bytes.'),
})

const price = z.strictObject({
  input: usDollars.describe('US dollars per million prompt tokens.'),
  cachedInput: usDollars.optional().describe('US dollars per million prompt tokens read from the cache.'),
  cacheWrite: usDollars.optional().describe('US dollars per million prompt tokens written to the cache.'),
  output: usDollars.describe('US dollars per million tokens of an answer.'),
})

const cache = z.strictObject({
  kind: z
    .enum(['automatic', 'marked'])
    .describe('`automatic`: any repeated beginning is cached. `marked`: up to marks in the request.'),
  minimumTokens: tokens.describe('Shorter prompts are not cached, tokens.'),
  step: z.int().min(1).optional().describe('Reuse is counted in steps of so many tokens.'),
  lifetimeSeconds: z.int().min(1).describe('How long a prompt stays cached, seconds.'),
})

const model = z.strictObject({
  window: z.int().min(1).optional().describe('Prompt and answer together, tokens.'),
  maxOutput: z.int().min(1).optional().describe('The longest answer, tokens.'),
  tools: z.boolean().optional().describe('Whether the model can call tools.'),
  vision: z.boolean().optional().describe('Whether the model can see images.'),
  reasoning: z.boolean().optional().describe('Whether the model reasons before it answers.'),
  toolChoiceNone: z.boolean().optional().describe('Whether the model can be told to answer without a tool.'),
  price: price.optional().describe('What the model costs.'),
  cache: cache.optional().describe('How the provider caches prompts.'),
})

const cut = z.strictObject({
  unit: z.enum(['turn', 'message']).optional().describe('What is dropped: whole turns, or single messages.'),
  lowWater: share.optional().describe('Share of what is available that a cut leaves filled, 0 to 1.'),
})

const changedLayout = z.strictObject({
  extends: layoutName.describe('The layout that is changed.'),
  placements: placements.optional().describe('Where layers stand, by layer.'),
  priorities: z
    .record(z.string(), z.enum(['required', 'high', 'normal', 'low']))
    .optional()
    .describe('How hard layers hold on, by layer.'),
  cut: cut.optional().describe('How history is cut.'),
  headShare: share.optional().describe('Share of the available tokens that the head may take, 0 to 1.'),
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
    .describe('Whether the prompt, date, instructions and skills of this home are added to calls outside a session.'),
})

const memory = z.strictObject({
  previousSession: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          "Whether a session begins with a summary of the conversation's last one. In the layout `ayati` alone unless given.",
        ),
      maxTokens: z.int().min(50).max(20_000).default(600).describe('The longest summary, tokens.'),
      summarize: z
        .boolean()
        .default(false)
        .describe('Whether a model writes the summary. By rule from the log otherwise: asked, answered, files, tools.'),
      model: z.string().min(1).optional().describe('The model that writes it. The one of `model` unless given.'),
    })
    .prefault({})
    .describe('The last session of the same conversation.'),
  toolHistory: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'Whether a turn is given earlier calls of tools that its message finds. In `ayati` alone unless given.',
        ),
      maxTokens: z.int().min(50).max(20_000).default(300).describe('The most of such calls, tokens.'),
    })
    .prefault({})
    .describe('Earlier calls of tools in the same conversation.'),
})

const context = z
  .strictObject({
    layout: z
      .union([layoutName, changedLayout])
      .default('auto')
      .describe(`Where layers stand and how history is cut: ${layoutNames.join(', ')}, or one of them with changes.`),
    headShare: share
      .optional()
      .describe('Share of the available tokens that tools, system and preamble may take, 0 to 1.'),
    lowWater: share.optional().describe('Share of what is available that a cut leaves filled, 0 to 1.'),
    reserve: z
      .int()
      .min(1)
      .optional()
      .describe('Room for the answer, tokens. A quarter of the window, at most 8192, unless given.'),
    margin: tokens.optional().describe("Room for the counter's error, tokens. Learned from the provider unless given."),
    placements: placements.default({}).describe('Where layers stand, by layer: changes the layout.'),
    counter: z.enum(['tokenx', 'o200k']).default('tokenx').describe('What tokens are counted with before a call.'),
    dateGranularity: z
      .enum(['day', 'minute', 'none'])
      .default('day')
      .describe('How exactly the model is told the time. A minute makes every prompt cache miss.'),
    memory: memory.prefault({}).describe('What turns are given of earlier sessions.'),
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
        message: `is the name of no layer that has a place: ${hint}`,
      })
    }
  })

const agent = z.strictObject({
  maxSteps: z.int().min(1).max(1000).default(12).describe('Model calls that one turn may make.'),
  workspace: z
    .string()
    .min(1)
    .default('workspace')
    .describe('Folder of AGENTS.md and of what file tools may touch; a relative path is relative to the home.'),
  toolTimeoutMs: milliseconds.default(120_000).describe('Time limit of a tool that declares none, ms.'),
  maxAnswerMs: milliseconds
    .default(1_800_000)
    .describe('How long one answer of a model may take, ms. What was said until then is kept.'),
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

const skills = z.strictObject({
  directory: z.string().min(1).default('skills').describe('Folder of the skills; relative to the home.'),
  extraDirs: z.array(z.string().min(1)).default([]).describe('More folders of skills, in order.'),
  disabled: z.array(z.string()).default([]).describe('Names of skills that are left out.'),
  contextMode: z
    .enum(['auto', 'full', 'readOnDemand'])
    .default('auto')
    .describe('Whether skills stand in the prompt in full, or as a list to read from.'),
  trustedDirs: z
    .array(z.string().min(1))
    .default([])
    .describe("Folders outside the home whose `.agents/skills` you trust: the workspace's skills load only then."),
  allowScripts: z.boolean().default(false).describe("Whether a skill's own scripts may run."),
})

const server = z.strictObject({
  command: z.string().min(1).optional().describe('Program of a server that runs on this machine.'),
  args: z.array(z.string()).optional().describe('Arguments of that program.'),
  environment: z
    .record(z.string(), variable)
    .optional()
    .describe('Environment of that program: its variables, and the names of ours that hold their values.'),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of a server that is reached over HTTP.'),
  headers: z
    .record(z.string(), variable)
    .optional()
    .describe(
      'Headers of every request: their names, and the names of our environment variables that hold their values.',
    ),
  directory: z.string().min(1).optional().describe('Folder that the program runs in; relative to the home.'),
  enabled: z.boolean().default(true).describe('Whether the server is used.'),
  connectTimeoutMs: milliseconds.default(10_000).describe('How long the server may take to say what it offers, ms.'),
})

const files = z.strictObject({
  maxBytes: z
    .int()
    .min(1)
    .max(2_000_000_000)
    .default(52_428_800)
    .describe('The largest file that can be handed in, bytes.'),
  maxTokens: z.int().min(1).default(1_000_000).describe('The longest text of one file, tokens.'),
})

const embedding = z.strictObject({
  kind: z.enum(['ollama', 'openai-compatible']).describe('How the server is spoken to.'),
  model: z.string().min(1).describe('Model that turns texts into vectors, such as nomic-embed-text.'),
  baseURL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where the server is. Ollama is looked for at its usual address.'),
  apiKeyEnv: variable.optional().describe('Environment variable that holds the key.'),
  prefixes: z
    .strictObject({
      documents: z.string().max(500).default('').describe('Before each passage.'),
      queries: z.string().max(500).default('').describe('Before each question.'),
    })
    .optional()
    .describe('What the model has to read before a text. Known for well-known models.'),
  dimensions: z.int().min(1).max(65_536).optional().describe('Length of the vectors, where the model can choose.'),
  weight: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('What a rank by meaning is worth beside the same rank by words.'),
  floor: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('The least cosine of question and passage that makes a passage an answer. Measured unless given.'),
})

const search = z.strictObject({
  embedding: embedding.optional().describe('Finds passages by what they mean too. By their words alone unless given.'),
})

const webSearch = z.strictObject({
  kind: z.enum(['searxng', 'brave', 'tavily']).describe('Which search service.'),
  baseURL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where a SearXNG of your own is.'),
  apiKeyEnv: variable.optional().describe('Environment variable that holds the key.'),
})

const web = z.strictObject({
  search: webSearch.optional().describe('Search service of the tool web_search, which is not offered without one.'),
  allowHosts: z
    .array(z.string().min(1))
    .default([])
    .describe('HOST:PORT that the search service may be at although it is not public, such as 127.0.0.1:8888.'),
  maxBytes: z.int().min(1_000).default(5_000_000).describe('The most of one page that is read, bytes.'),
  timeoutMs: milliseconds.default(20_000).describe('How long one page may take, ms.'),
})

/**
 * All of `config.json` (docs/guide/configuration.md). Every key may be left out; a key that is not here is a problem, since a misspelt one
 * would be a setting that silently does nothing.
 */
export const configurationShape = z.strictObject({
  $schema: z.string().optional().describe('JSON Schema of this file, for editors.'),
  gateway: gateway.prefault({}).describe('Where the gateway listens, and what it asks of callers.'),
  model: z
    .string()
    .min(1)
    .optional()
    .describe('Model for sessions that choose none: PROVIDER/MODEL. The best at hand unless given.'),
  providers: providersSchema(providers).default({}).describe('Doors to models, by the name they have here.'),
  models: z
    .record(z.string(), model)
    .default({})
    .describe('Facts of models, by PROVIDER/MODEL, over the built-in ones.'),
  context: context.prefault({}).describe('How the context of a call is assembled.'),
  agent: agent.prefault({}).describe('How a turn runs.'),
  skills: skills.prefault({}).describe('Where skills are, and how they are shown.'),
  files: files.prefault({}).describe('Files that people hand in.'),
  search: search.prefault({}).describe('How files are searched.'),
  web: web.prefault({}).describe('Pages of the web that tools read.'),
  subjects: subjects.prefault({}).describe('Where subjects and tastes are.'),
  channels: z
    .strictObject({ telegram: telegram.optional().describe('A Telegram bot.') })
    .prefault({})
    .describe('Where people talk, besides the browser and the terminal.'),
  mcp: z
    .strictObject({ servers: z.record(z.string(), server).default({}).describe('MCP servers, by name.') })
    .prefault({})
    .describe('Tools of others, over MCP.'),
  plugins: z.array(z.string().min(1)).default([]).describe('Modules of further plugins, in order.'),
})

/** The same where these providers are known. */
export function configurationShapeFor(known: readonly Provider[]): typeof configurationShape {
  if (known === providers) return configurationShape
  const { description = '' } = configurationShape.shape.providers
  return configurationShape.extend({ providers: providersSchema(known).default({}).describe(description) })
}

/** A whole configuration, with every default in its place and every path as it was written. */
export type ConfigurationShape = z.infer<typeof configurationShape>

function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** What a port can be opened on: an IP address or the name of this machine. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text)
}
