import { z } from 'zod'
import { capability, environmentVariable, httpAddress, type SettingsWarning } from '../capability.ts'
import { layouts } from '../context.ts'
import { skillsSettings } from '../capabilities/skills/skills-settings.ts'
import { type McpSettings, mcpSettings } from '../capabilities/mcp-client/mcp-settings.ts'
import { webSettings } from '../capabilities/web-access/web-settings.ts'
import { subjects as subjectsKeys } from '../capabilities/subjects/subjects-schema.ts'
import { telegram as telegramKeys } from '../capabilities/telegram/telegram-schema.ts'

/** Settings of built-in capabilities that are not values of their own yet. Each leaves this file as it becomes one. */

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
  baseURL: httpAddress().optional().describe('Where the server is. Ollama is looked for at its usual address.'),
  apiKeyEnv: environmentVariable().optional().describe('Environment variable that holds the key.'),
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

const remembering = Object.values(layouts)
  .filter((layout) => layout.memory.isUsual)
  .map(({ name }) => `\`${name}\``)
  .join(', ')

const memory = z.strictObject({
  previousSession: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          `Whether a session begins with a summary of the conversation's last one. In the layout ${remembering} alone unless given.`,
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
          `Whether a turn is given earlier calls of tools that its message finds. In ${remembering} alone unless given.`,
        ),
      maxTokens: z.int().min(50).max(20_000).default(300).describe('The most of such calls, tokens.'),
    })
    .prefault({})
    .describe('Earlier calls of tools in the same conversation.'),
})

export const pending = [
  capability({
    name: 'date',
    settingsKey: 'context.dateGranularity',
    settings: z
      .enum(['day', 'minute', 'none'])
      .default('day')
      .describe('How exactly the model is told the time. A minute makes every prompt cache miss.'),
  }),
  capability({
    name: 'skills',
    settings: skillsSettings,
    settingsWarnings({ contextMode }, { layout }) {
      if (!layout.skills.asCapabilities || contextMode === 'auto') return []
      const hint = 'There each skill is a block of its own. Name those that are not needed in skills.disabled.'
      return [{ key: 'contextMode', message: `has no effect in the layout ${layout.name.replace(/\+$/, '')}`, hint }]
    },
  }),
  capability({
    name: 'web',
    settings: webSettings,
    settingsWarnings: ({ allowHosts, search: service }) =>
      allowHosts.length > 0 && service === undefined
        ? [
            {
              key: 'allowHosts',
              message: 'has no effect without web.search',
              hint: 'Name the search service there.',
            },
          ]
        : [],
  }),
  capability({
    name: 'mcp',
    settings: mcpSettings,
    settingsWarnings: ({ servers }) => Object.entries(servers).flatMap(([name, server]) => unused(name, server)),
  }),
  capability({ name: 'files', settings: files.prefault({}).describe('Files that people hand in.') }),
  capability({ name: 'search', settings: search.prefault({}).describe('How files are searched.') }),
  capability({
    name: 'subjects',
    settings: subjectsKeys.prefault({}).describe('Where subjects and tastes are.'),
    settingsWarnings: ({ summaryModel, summarize }) =>
      summaryModel !== undefined && !summarize
        ? [{ key: 'summaryModel', message: 'has no effect', hint: 'Set subjects.summarize to true.' }]
        : [],
  }),
  capability({
    name: 'telegram',
    settingsKey: 'channels.telegram',
    settings: telegramKeys.optional().describe('A Telegram bot.'),
    settingsWarnings(settings) {
      if (!settings) return []
      const wrong = (key: string, message: string, ids: readonly number[]) =>
        ids.map((id) => ({ key, message: `has ${id}: ${message}`, hint: 'Take it out.' }))
      return [
        ...wrong(
          'allowedUsers',
          'ids of people are above 0',
          settings.allowedUsers.filter((id) => id <= 0),
        ),
        ...wrong(
          'allowedChats',
          'ids of groups are below 0',
          settings.allowedChats.filter((id) => id >= 0),
        ),
      ]
    },
  }),
  capability({
    name: 'memory',
    settingsKey: 'context.memory',
    settings: memory.prefault({}).describe('What turns are given of earlier sessions.'),
  }),
]

function unused(name: string, server: McpSettings['servers'][string]): readonly SettingsWarning[] {
  const { command, url } = server
  if ((command === undefined) === (url === undefined)) return []
  const useless = command === undefined ? (['args', 'environment', 'directory'] as const) : (['headers'] as const)
  return useless
    .filter((field) => server[field] !== undefined)
    .map((field) => ({
      key: `servers.${name}.${field}`,
      message: `has no effect on a server that is reached by ${command === undefined ? 'url' : 'command'}`,
      hint: 'Take it out.',
    }))
}
