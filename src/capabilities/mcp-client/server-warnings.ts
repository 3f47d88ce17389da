import { mcpSettings, unusedFields } from './mcp-settings.ts'
import { readAddress } from './server-address.ts'

/** What is odd about servers that fit the schema: values without effect, variables that are not set. */
export function serverWarnings(
  servers: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const read = mcpSettings.safeParse({ servers: withoutRemoved(servers) })
  if (!read.success) return []
  return Object.entries(read.data.servers).flatMap(([name, server]) => [
    ...unusedFields(name, server).map(({ key, message, hint }) => `mcp.${key} ${message}. ${hint}`),
    ...readAddress(name, server, environment).warnings.map((warning) => `${warning}.`),
  ])
}

function withoutRemoved(servers: unknown): unknown {
  return Object.fromEntries(Object.entries(servers ?? {}).filter(([, server]) => server !== undefined))
}
