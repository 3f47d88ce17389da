import { z } from 'zod'
import type { Provider, ProviderConfiguration } from '../../model.ts'
import { environmentVariable, homePath, httpAddress, milliseconds } from '../../capability.ts'

const timeouts = z.strictObject({
  firstMs: milliseconds().optional().describe('From the request to the first piece of an answer, ms.'),
  idleMs: milliseconds().optional().describe('Between one piece of an answer and the next, ms.'),
})

const connectionKeys = {
  baseURL: httpAddress('must be a URL that begins with http:// or https://')
    .optional()
    .describe('Where the provider is, if not at its usual address.'),
  apiKeyEnv: environmentVariable().optional().describe('Environment variable that holds the key.'),
  apiKeyFile: homePath({ path: 'file' })
    .optional()
    .describe('File that holds the key; a relative path is relative to the home.'),
  headers: z
    .record(z.string(), z.string())
    .meta({ ofMachine: true })
    .optional()
    .describe('Headers for every request. No secrets here.'),
}

/** `providers` of the configuration: one entry has the kind of a known provider, and may have the keys of all of them. */
export function providersSchema(
  known: readonly Provider[],
): z.ZodType<Record<string, ProviderConfiguration>, Record<string, ProviderConfiguration>> {
  const [first = 'none', ...others] = known.map(({ kind }) => kind)
  const entry = z.strictObject({
    kind: z.enum([first, ...others]).describe('Protocol of the provider.'),
    ...connectionKeys,
    ...providerSettings(known),
    timeouts: timeouts.optional().describe('How long to wait for an answer.'),
  })
  return z.record(z.string(), entry) as ReturnType<typeof providersSchema>
}

/** The keys that an entry has, and a provider of this kind never reads. */
export function unusedKeys(entry: ProviderConfiguration, known: readonly Provider[]): readonly string[] {
  const used = known.find(({ kind }) => kind === entry.kind)
  if (!used) return []
  const connection = [...Object.keys(connectionKeys), 'timeouts']
  const read = [...(used.connects === false ? [] : connection), ...Object.keys(used.settings ?? {})]
  return [...connection, ...Object.keys(providerSettings(known))].filter(
    (key) => entry[key] !== undefined && !read.includes(key),
  )
}

/** The settings of all providers. None has to be there: entries of other kinds do not have it. */
function providerSettings(known: readonly Provider[]): z.ZodRawShape {
  const all = known.flatMap(({ settings = {} }) => Object.entries(settings))
  return Object.fromEntries(all.map(([key, schema]) => [key, withoutDefault(schema as z.ZodType)]))
}

function withoutDefault(schema: z.ZodType): z.ZodType {
  const { description = '' } = schema
  if (schema instanceof z.ZodDefault) return withoutDefault((schema.unwrap() as z.ZodType).describe(description))
  return schema instanceof z.ZodOptional ? schema : schema.optional().describe(description)
}
