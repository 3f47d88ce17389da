import { offeredPrefix } from '../../capability.ts'

/** How names of tools of the configured MCP servers begin. None where there is no capability for such servers. */
export function serverPrefixes(settings: unknown): readonly string[] {
  const { servers = {} } = (settings ?? {}) as { readonly servers?: Readonly<Record<string, unknown>> }
  return Object.keys(servers).map(offeredPrefix)
}
