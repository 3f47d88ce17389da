import { acp } from '../capabilities/acp/acp.ts'
import { agents } from '../capabilities/agents/agents.ts'
import { aiSdkChat } from '../capabilities/ai-sdk-chat/ai-sdk-chat.ts'
import { anthropicApi } from '../capabilities/anthropic-api/anthropic-api.ts'
import { auditRecords } from '../capabilities/audit-records/audit-records.ts'
import { backup } from '../capabilities/backup/backup.ts'
import { budgets } from '../capabilities/budgets/budgets.ts'
import { costs } from '../capabilities/costs/costs.ts'
import { date } from '../capabilities/date/date.ts'
import { files } from '../capabilities/files/files.ts'
import { inspector } from '../capabilities/inspector/inspector.ts'
import { instructions } from '../capabilities/instructions/instructions.ts'
import { mcpClient } from '../capabilities/mcp-client/mcp-client.ts'
import { memory } from '../capabilities/memory/memory.ts'
import { openaiApi } from '../capabilities/openai-api/openai-api.ts'
import { persona } from '../capabilities/persona/persona.ts'
import { projects } from '../capabilities/projects/projects.ts'
import { prompt } from '../capabilities/prompt/prompt.ts'
import { providerCapabilities } from '../capabilities/providers.ts'
import { relay } from '../capabilities/relay/relay.ts'
import { schedules } from '../capabilities/schedules/schedules.ts'
import { search } from '../capabilities/search/search.ts'
import { sessionLayout } from '../capabilities/session-layout/session-layout.ts'
import { shell } from '../capabilities/shell/shell.ts'
import { skills } from '../capabilities/skills/skills.ts'
import { subjects } from '../capabilities/subjects/subjects.ts'
import { telegram } from '../capabilities/telegram/telegram.ts'
import { telemetry } from '../capabilities/telemetry/telemetry.ts'
import { templates } from '../capabilities/templates/templates.ts'
import { webAccess } from '../capabilities/web-access/web-access.ts'
import { webApp } from '../capabilities/web-app/web-app.ts'
import { workspace } from '../capabilities/workspace/workspace.ts'
import { wrappedAgents } from '../capabilities/wrapped-agents/wrapped-agents.ts'
import type { AnyCapability } from '../capability.ts'

/**
 * What comes with Foreword, in the order in which it is started, layers are declared and tools are offered. `files` asks
 * `search` for its embedding model when it starts, so it stands behind it; the layout of a session goes before that of its
 * agent, so `session-layout` stands before `agents`.
 */
export const builtIn: readonly AnyCapability[] = [
  prompt,
  date,
  instructions,
  persona,
  skills,
  workspace,
  shell,
  webAccess,
  subjects,
  inspector,
  mcpClient,
  sessionLayout,
  agents,
  projects,
  templates,
  search,
  files,
  memory,
  auditRecords,
  backup,
  budgets,
  costs,
  schedules,
  telemetry,
  openaiApi,
  anthropicApi,
  aiSdkChat,
  acp,
  telegram,
  wrappedAgents,
  relay,
  webApp,
  ...providerCapabilities,
]
