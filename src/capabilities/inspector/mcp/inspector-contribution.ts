import { readFile } from 'node:fs/promises'
import type { Tool } from '@modelcontextprotocol/server'
import type { McpContribution, McpTool, Runtime } from '../../../capability.ts'
import { ForewordError } from '../../../platform.ts'
import { failureEnvelope, successEnvelope } from '../../../server/mcp.ts'
import { inputFault } from '../../../tool.ts'
import { callContext } from '../call-context.ts'
import { costsSince } from '../costs-since.ts'
import { explainCall } from '../explain-call.ts'
import { readLedgerCall, type FoundCall } from '../ledger-call.ts'
import { contextOfCall, costsTool, explainLastCall, viewAddress } from './definitions.ts'

interface InspectorParts {
  readonly runtime: Runtime
  /** IANA name: a day of costs begins there. */
  readonly timeZone: string
  readonly time: () => string
}

type Input = Readonly<Record<string, string | undefined>>

/**
 * Tools that read the ledger, and their view. They give names, numbers and reasons, and no word of a message or of a
 * layer: a program that connects may hand their answers to a model of its own.
 */
export function inspectorContribution({ runtime, timeZone, time }: InspectorParts): McpContribution {
  const priced = async (found: FoundCall) => ({ ...found, price: await runtime.callPrice(found.record) })
  return {
    tools: [
      readingTool(contextOfCall, async ({ call = 'last', session }) =>
        callContext(await priced(await readLedgerCall(runtime.store, call, session))),
      ),
      readingTool(costsTool, ({ by, since, session }) =>
        costsSince(runtime, { by, since, session, timeZone, now: time() }),
      ),
      readingTool(explainLastCall, async ({ session }) =>
        explainCall(await priced(await readLedgerCall(runtime.store, 'last', session))),
      ),
    ],
    resources: [
      {
        templates: [],
        // It is for hosts alone, which know it from the tools.
        list: async () => [],
        read: async (uri) =>
          uri === viewAddress
            ? {
                mimeType: 'text/html;profile=mcp-app',
                text: await readFile(new URL('../../../../assets/inspector.html', import.meta.url), 'utf8'),
              }
            : undefined,
      },
    ],
  }
}

function readingTool(definition: Tool, answer: (input: Input) => Promise<object>): McpTool {
  return {
    definition,
    async call(input) {
      const fault = await inputFault(definition.inputSchema, input, `the tool ${definition.name}`)
      if (fault !== undefined) return failureEnvelope('invalid-input', fault)
      try {
        return successEnvelope({ ...(await answer(input as Input)) })
      } catch (error) {
        if (!(error instanceof ForewordError) || !error.expose) throw error
        if (error.code !== 'not-found' && error.code !== 'invalid-input') throw error
        return failureEnvelope(error.code, [error.message, error.hint].filter(Boolean).join(' '))
      }
    },
  }
}
