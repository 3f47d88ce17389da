import { join } from 'node:path'
import { readHistoryTool, readResultTool } from '../agent.ts'
import { fileLibrary, type Runtime } from '../capability.ts'
import { defined, ForewordError } from '../platform.ts'
import { openRecall, recallOfConversation } from './recall/open-recall.ts'
import { startParts, type WholeParts } from './runtime-parts.ts'
import { redactionOf } from './secrets/home-secrets.ts'
import { type ToolPolicy, toolWarnings } from './tools/tool-policy.ts'

/**
 * Starts the capabilities of a runtime, and says what may be called: their tools, the tools of the parts, and the readers of the
 * history, which are last. Rejects where two tools have one name, with everything stopped.
 */
export async function openHost(parts: WholeParts, warn: (text: string) => void, runtime: () => Runtime) {
  const { store, secrets, timeZone } = parts
  const capabilities = await startParts(parts, { warn, runtime })
  const path = parts.historyIndex ?? join(parts.data, 'history.sqlite')
  const recall = openRecall({ store, path, timeZone, warn })
  const readers = [readResultTool(store), readHistoryTool(store, recallOfConversation(recall, capabilities))]
  const conflicts = () => capabilities.toolConflicts(readers.map(({ name }) => name))
  if (conflicts().length > 0) {
    await Promise.all([capabilities.stop(), recall.close()])
    throw new ForewordError('configuration', conflicts().join('\n'), {}, { hint: TOOL_CONFLICT_HINT })
  }
  const tools = () => [...capabilities.tools(), ...(parts.tools ?? []), ...readers]
  const policy: ToolPolicy = {
    ...parts.policy,
    withheld: () => new Set(capabilities.withheld().map(({ name }) => name)),
    ...defined({ redaction: secrets && redactionOf(secrets) }),
  }
  return {
    capabilities,
    channels: [...(parts.listens ? await capabilities.channels() : []), ...(parts.channels ?? [])],
    library: capabilities.capability(fileLibrary),
    recall,
    tools,
    policy,
    /** What a reload reports. */
    warnings: () => [...capabilities.warnings(), ...conflicts()],
    policyWarnings: () => toolWarnings(policy, tools()),
  }
}

const TOOL_CONFLICT_HINT =
  'Rename the tool, or remove one of its owners from `capabilities` or `plugins` in config.json.'
