import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { McpCatalogue, McpDefinitions, McpPrompt, McpTool } from '../../capability.ts'
import { type Clock, errorMessage, ForewordError, once } from '../../platform.ts'
import { allDefinitions } from './definitions.ts'
import { failureEnvelope } from './envelope.ts'

/**
 * The catalogue of a home that is not open yet: lists are answered at once, and everything else waits for the home. The home is
 * opened with the first request that needs it, or after the tools were listed. Where that fails, each call reports why, and the
 * next one tries again.
 */
export function lateCatalogue(
  clock: Clock,
  open: () => Promise<McpCatalogue>,
  home: string,
  added: readonly McpDefinitions[],
): McpCatalogue {
  const { instructions, tools, templates, prompts } = allDefinitions(added)
  let refusal: Promise<McpCatalogue['refusal']> | undefined
  let whole: McpCatalogue | undefined
  const opened = once(async () => {
    try {
      return (whole = await open())
    } catch (error) {
      throw new HomeNotOpened(`The home cannot be opened: ${errorMessage(error)}`)
    }
  })
  /** For everything but tools, which report the error in their envelope. */
  const openedOrRefused = () =>
    opened().catch((error: Error) => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message)
    })

  return {
    instructions,
    tools: tools.map((definition) => lateTool(definition, opened)),
    resources: {
      templates,
      list: async (cursor) => (await openedOrRefused()).resources.list(cursor),
      read: async (uri) => (await openedOrRefused()).resources.read(uri),
      complete: async (...typed) => (await openedOrRefused()).resources.complete(...typed),
    },
    prompts: prompts.map((definition) => latePrompt(definition, openedOrRefused)),
    async refusal(tool) {
      // Loaded with the first question, so that a client does not wait for it at its start.
      refusal ??= import('./tool-permission.ts').then(({ refusalByPolicy }) => refusalByPolicy(home))
      // What the file forbids is refused without opening the home. What counts of what it allows is known once it is open.
      return (await (await refusal)(tool)) ?? (await whole?.refusal(tool))
    },
    // The client gets its refusal even where it cannot be recorded.
    refused: async (...refused) => (await opened().catch(() => undefined))?.refused?.(...refused),
    // After the answer, which loading would delay.
    listed: () => clock.soon(() => void opened().catch(() => {})),
  }
}

class HomeNotOpened extends ForewordError {
  constructor(message: string) {
    super('storage', message)
  }
}

function lateTool(definition: McpTool['definition'], opened: () => Promise<McpCatalogue>): McpTool {
  return {
    definition,
    async call(input, call) {
      try {
        const { tools, refusal } = await opened()
        const refused = await refusal(definition.name)
        if (refused !== undefined) return failureEnvelope('unavailable', refused.reason)
        return await tools.find((tool) => tool.definition.name === definition.name)!.call(input, call)
      } catch (error) {
        if (error instanceof HomeNotOpened) return failureEnvelope('unavailable', error.message)
        throw error
      }
    },
  }
}

function latePrompt(definition: McpPrompt['definition'], opened: () => Promise<McpCatalogue>): McpPrompt {
  const prompt = async () => (await opened()).prompts.find(({ definition: { name } }) => name === definition.name)!
  return {
    definition,
    get: async (...asked) => (await prompt()).get(...asked),
    complete: async (argument) => (await (await prompt()).complete?.(argument)) ?? [],
  }
}
