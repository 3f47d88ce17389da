import { z } from 'zod'

/** A server as `GET /api/mcp-servers` lists it. */
export type ListedServer = z.infer<typeof listedServer>

export const listedServer = z.looseObject({
  name: z.string(),
  state: z.enum(['running', 'starting', 'failed', 'unusable', 'disabled']),
  why: z.string().optional(),
  hint: z.string().optional(),
  warnings: z.array(z.string()),
  stderr: z.array(z.string()).describe('The last lines of its error output.'),
  tools: z.array(z.object({ name: z.string(), tokens: z.number(), digest: z.string() })),
  withheld: z.array(z.string()),
  written: z.unknown().describe('As config.json has it. Of variables and headers the names, never a value.'),
})
