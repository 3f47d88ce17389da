import { z } from 'zod'
import type { Provider, ProviderConfiguration } from '../../model.ts'
import { variable } from './variable.ts'

/** As far as timers reach: a later one would go off at once. */
const milliseconds = z.int().min(1).max(2_147_483_647)

const timeouts = z.strictObject({
  firstMs: milliseconds.optional().describe('From the request to the first piece of an answer, ms.'),
  idleMs: milliseconds.optional().describe('Between one piece of an answer and the next, ms.'),
})

/** Keys of every provider that reaches a server. */
const connectionKeys = {
  baseURL: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
    .optional()
    .describe('Where the provider is, if not at its usual address.'),
  apiKeyEnv: variable.optional().describe('Environment variable that holds the key.'),
  apiKeyFile: z
    .string()
    .min(1)
    .optional()
    .describe('File that holds the key; a relative path is relative to the home.'),
  headers: z.record(z.string(), z.string()).optional().describe('Headers for every request. No secrets here.'),
}

/** `providers` of the configuration: one entry has the kind of a known provider, and may have the keys of all of them. */
export function providersSchema(
  known: readonly Provider[],
): z.ZodType<Record<string, ProviderConfiguration>, Record<string, ProviderConfiguration>> {
  const [first = 'none', ...others] = known.map(({ kind }) => kind)
  const entry = z.strictObject({
    kind: z.enum([first, ...others]).describe('How the provider is spoken to.'),
    ...connectionKeys,
    ...settingsOf(known),
    timeouts: timeouts.optional().describe('How long an answer is waited for.'),
  })
  return z.record(z.string(), entry) as ReturnType<typeof providersSchema>
}

/** The keys that an entry has, and a provider of this kind never reads. */
export function unusedKeys(entry: ProviderConfiguration, known: readonly Provider[]): readonly string[] {
  const used = known.find(({ kind }) => kind === entry.kind)
  if (!used) return []
  const connection = [...Object.keys(connectionKeys), 'timeouts']
  const read = [...(used.connects === false ? [] : connection), ...Object.keys(used.settings ?? {})]
  return [...connection, ...Object.keys(settingsOf(known))].filter(
    (key) => entry[key] !== undefined && !read.includes(key),
  )
}

function settingsOf(known: readonly Provider[]): z.ZodRawShape {
  return Object.assign({}, ...known.map(({ settings }) => settings)) as z.ZodRawShape
}
