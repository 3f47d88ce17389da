import { date } from '../capabilities/date/date.ts'
import { instructions } from '../capabilities/instructions/instructions.ts'
import { mcpClient } from '../capabilities/mcp-client/mcp-client.ts'
import { persona } from '../capabilities/persona/persona.ts'
import { providerCapabilities } from '../capabilities/providers.ts'
import { shell } from '../capabilities/shell/shell.ts'
import { skills } from '../capabilities/skills/skills.ts'
import { webAccess } from '../capabilities/web-access/web-access.ts'
import { workspace } from '../capabilities/workspace/workspace.ts'
import type { AnyCapability } from '../capability.ts'
import { pending } from './pending.ts'

/** What comes with Foreword, in the order in which layers are declared and tools are offered. */
export const builtIn: readonly AnyCapability[] = [
  date,
  instructions,
  persona,
  skills,
  workspace,
  shell,
  webAccess,
  mcpClient,
  ...pending,
  ...providerCapabilities,
]
