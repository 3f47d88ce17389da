import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { McpCatalogue, McpDefinitions, McpPrompt, McpTool } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import { allDefinitions } from './definitions.ts'
import { failed } from './envelope.ts'

/**
 * What a home offers, before that home is open: what there is is listed at once, whatever needs the home waits for it. It
 * is opened for the first that needs it, and once its tools have been listed. Where it cannot be opened, each call reports
 * why, and the next one tries again.
 */
export function lateCatalogue(
  open: () => Promise<McpCatalogue>,
  home: string,
  added: readonly McpDefinitions[],
): McpCatalogue {
  const { instructions, tools, templates, prompts } = allDefinitions(added)
  let opening: Promise<McpCatalogue> | undefined
  let refusal: Promise<McpCatalogue['refusal']> | undefined
  const opened = (): Promise<McpCatalogue> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw new NotOpened(`The home cannot be opened: ${errorMessage(error)}`)
    })
    return opening
  }
  /** For everything but tools, which tell it in their envelope. */
  const openedOrTold = () =>
    opened().catch((error: Error) => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message)
    })

  return {
    instructions,
    tools: tools.map((definition) => lateTool(definition, opened)),
    resources: {
      templates,
      list: async (cursor) => (await openedOrTold()).resources.list(cursor),
      read: async (uri) => (await openedOrTold()).resources.read(uri),
      complete: async (...typed) => (await openedOrTold()).resources.complete(...typed),
    },
    prompts: prompts.map((definition) => latePrompt(definition, openedOrTold)),
    async refusal(tool) {
      // What reads the policy is loaded with the first question about it: a client that greets us does not wait for that.
      refusal ??= import('./tool-permission.ts').then(({ refusalByPolicy }) => refusalByPolicy(home))
      return (await refusal)(tool)
    },
    // A refusal is told whether or not it could be written down.
    refused: async (...refused) => (await opened().catch(() => undefined))?.refused?.(...refused),
    // Behind the answer: what is loaded would hold it up.
    listed: () => void setImmediate(() => void opened().catch(() => {})),
  }
}

class NotOpened extends Error {}

function lateTool(definition: McpTool['definition'], opened: () => Promise<McpCatalogue>): McpTool {
  return {
    definition,
    async call(input, call) {
      try {
        const { tools } = await opened()
        return await tools.find((tool) => tool.definition.name === definition.name)!.call(input, call)
      } catch (error) {
        if (error instanceof NotOpened) return failed('unavailable', error.message)
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
