import type { Clock } from '../../platform.ts'
import type { Contributions, McpCatalogue, McpPrompt, McpTool, Runtime } from '../../capability.ts'
import { outline, type TokenCounter } from '../../context.ts'
import { scenarioCounterId, runScenario, ScenarioError, smallCounters } from '../../context/scenario.ts'
import type { SessionStore } from '../../session.ts'
import { createMcpAudit } from './audit.ts'
import { allDefinitions, assembleDefinition, explainCallPrompt, parseResourceAddress } from './definitions.ts'
import { failureEnvelope, failureReply, successEnvelope } from './envelope.ts'
import { invalidParams } from './protocol-server.ts'
import { ownResources, pagedResources } from './resources.ts'
import { toolRefusal } from './tool-permission.ts'

/** What one capability adds to the MCP server of an open home. */
export type McpContributionSource = NonNullable<ReturnType<Contributions['mcp']>>

interface CatalogueOptions {
  readonly unexpected: (error: unknown) => void
  readonly additions: readonly McpContributionSource[]
}

/**
 * What a runtime and its capabilities offer to programs that speak MCP, in a fixed order. Rejects where two offer a tool or
 * a prompt of one name.
 */
export async function openCatalogue(
  { store, access }: Pick<Runtime, 'store' | 'access'>,
  { unexpected, additions }: CatalogueOptions,
): Promise<McpCatalogue> {
  const { instructions } = allDefinitions(await Promise.all(additions.map(async (addition) => addition.definitions())))
  const added = await Promise.all(additions.map(async (addition) => addition.open()))
  const tools = [...added.flatMap((each) => each.tools ?? []), assembleTool(store.clock, unexpected)]
  const prompts = [...added.flatMap((each) => each.prompts ?? []), explainCall(store)]
  for (const offered of [tools, prompts]) checkNames(offered.map(({ definition }) => definition.name))
  return {
    instructions,
    tools,
    resources: pagedResources([...added.flatMap(({ resources = [] }) => resources), ...ownResources(store)]),
    prompts,
    refusal: async (tool) => toolRefusal(await access.inForce(), tool),
    refused: createMcpAudit({ store }).refused,
  }
}

function checkNames(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`Two capabilities offer ${twice} over MCP. Leave one of them out.`)
}

/**
 * The tool `assemble`: the request of a scenario and its manifest. Pure: it reads nothing of the home. A context that does not
 * fit is an ordinary answer.
 */
function assembleTool(clock: Clock, unexpected: (error: unknown) => void): McpTool {
  return {
    definition: assembleDefinition,
    async call(input, call) {
      try {
        await call.progress(0, 2, 'The scenario is read.')
        const counters = await countersFor(input)
        // The assembly blocks the event loop. Other work, and a cancellation, go first.
        await clock.yield()
        if (call.signal.aborted) return failureEnvelope('cancelled', 'The call was cancelled.')
        const result = runScenario(input, counters)
        await call.progress(1, 2, 'The context is assembled.')
        await clock.yield()
        const answer = successEnvelope({ ...result, outline: outline(result.manifest) })
        await call.progress(2, 2, 'Done.')
        return answer
      } catch (error) {
        if (error instanceof ScenarioError)
          return failureEnvelope('invalid-input', error.message, { problems: error.problems })
        return failureReply(error, unexpected)
      }
    },
  }
}

/** Loads the counter with the large table only where a scenario names it, or names an unknown one. */
async function countersFor(input: unknown): Promise<readonly TokenCounter[]> {
  const id = scenarioCounterId(input)
  if (id === undefined || smallCounters.some((counter) => counter.id === id)) return smallCounters
  return [...smallCounters, (await import('../../context/o200k.ts')).o200k]
}

/** The prompt `explain_call`, which a person can pick in a client: what one call sent to a model. */
function explainCall(store: Pick<SessionStore, 'call'>): McpPrompt {
  return {
    definition: explainCallPrompt,
    async get({ call_id: given = '' }) {
      const address = parseResourceAddress(given)
      const id = address?.kind === 'calls' ? address.id : given
      const call = await store.call(id)
      if (call === undefined) throw invalidParams(`There is no call ${JSON.stringify(id)}.`)
      const uri = `foreword://calls/${encodeURIComponent(id)}/outline`
      const text = `${outline(call.manifest)}\n`
      return {
        description: `The call ${id}`,
        messages: [
          {
            role: 'user',
            content: {
              type: 'text',
              text:
                `Explain what ${call.model} was sent in the call ${id}. Each line of its outline is one piece: where it ` +
                'stands, its form, its tokens, its tokens in full, whether it was included, and why not. Say in plain ' +
                'words what was left out or shortened, and what that means for the answer.',
            },
          },
          { role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text } } },
        ],
      }
    },
  }
}
