import type { CompletionEvent, CompletionInput, Runtime } from '../../../capability.ts'
import { fieldsOf } from '../../../platform.ts'

/** Models whose provider has no place for `parallel_tool_calls: false`, by their ids. They are learned from its refusals. */
export type SerialCallModels = Set<string>

/**
 * One call outside sessions. Codex sends `parallel_tool_calls: false` for every model that it does not know; where
 * the provider has no place for that field, the call is made without it, and `leftOut` is told.
 */
export async function* completeAnyModel(
  runtime: Pick<Runtime, 'complete' | 'model'>,
  input: CompletionInput,
  { unable, leftOut }: { readonly unable: SerialCallModels; readonly leftOut: () => void },
): AsyncGenerator<CompletionEvent> {
  if (input.parameters?.parallelToolCalls === undefined) return yield* runtime.complete(input)
  const { id } = await runtime.model(input.model)
  if (!unable.has(id)) {
    let begun = false
    try {
      for await (const event of runtime.complete(input)) {
        begun ||= event.type !== 'call-start'
        yield event
      }
      return
    } catch (error) {
      if (begun || !refusesParallel(error)) throw error
      unable.add(id)
    }
  }
  leftOut()
  const { parallelToolCalls: _refused, ...parameters } = input.parameters
  yield* runtime.complete({ ...input, parameters })
}

function refusesParallel(error: unknown): boolean {
  const { code, facts } = fieldsOf(error)
  return code === 'unsupported-parameter' && fieldsOf(facts)['parameter'] === 'parallel_tool_calls'
}
