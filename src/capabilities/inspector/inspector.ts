import { capability } from '../../capability.ts'

/** What calls sent and cost, for programs that speak MCP: tools that only read, and a view for hosts that show one. */
export const inspector = capability({
  name: 'inspector',
  summary: 'Shows MCP clients what calls sent and what they cost.',
  mcp: {
    definitions: async () => (await import('./mcp/inspector-contribution.ts')).inspectorDefinitions,
    open: async ({ runtime, clock, timeZone }) =>
      (await import('./mcp/inspector-contribution.ts')).inspectorContribution({
        runtime,
        timeZone,
        time: () => clock.time(),
      }),
  },
})
