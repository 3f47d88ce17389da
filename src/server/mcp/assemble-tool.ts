import { setImmediate } from 'node:timers/promises'
import { outline, type TokenCounter } from '../../context.ts'
import { counterIdOf, runScenario, ScenarioError, smallCounters } from '../../context/scenario.ts'
import { assembleDefinition } from './assemble-definition.ts'
import type { McpTool } from '../../capability.ts'
import { failed, failureReply, succeeded } from './envelope.ts'

/**
 * What a scenario would send, and the account of it. Pure: it reads nothing of the home. A context that does not fit is
 * an answer like any other.
 */
export function assembleTool(unexpected: (error: unknown) => void): McpTool {
  return {
    definition: assembleDefinition,
    async call(input, call) {
      try {
        await call.progress(0, 2, 'The scenario is read.')
        const counters = await countersFor(input)
        // Others have a turn before the work, which does not let go until it is done, and a cancellation is heard.
        await setImmediate()
        if (call.signal.aborted) return failed('cancelled', 'The call was cancelled.')
        const result = runScenario(input, counters)
        await call.progress(1, 2, 'The context is assembled.')
        await setImmediate()
        const answer = succeeded({ ...result, outline: outline(result.manifest) })
        await call.progress(2, 2, 'Done.')
        return answer
      } catch (error) {
        if (error instanceof ScenarioError) return failed('invalid-input', error.message, { problems: error.problems })
        return failureReply(error, unexpected)
      }
    },
  }
}

/** The counter with the large table is loaded only for who asks for it, or for one that nobody knows. */
async function countersFor(input: unknown): Promise<readonly TokenCounter[]> {
  const id = counterIdOf(input)
  if (id === undefined || smallCounters.some((counter) => counter.id === id)) return smallCounters
  return [...smallCounters, (await import('../../context/o200k.ts')).o200k]
}
