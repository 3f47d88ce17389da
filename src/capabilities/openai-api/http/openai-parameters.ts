import type { CallParameters, ResponseFormat } from '../../../model.ts'
import { HttpFailure } from '../../../server.ts'
import type { CompletionBody } from './openai-schema.ts'

/** What a request asks of its call, besides its messages and tools. What nobody asked for is not there. */
export function parametersOf(body: CompletionBody): CallParameters {
  const { temperature, top_p: topP, stop, seed, presence_penalty: presencePenalty } = body
  const { frequency_penalty: frequencyPenalty, reasoning_effort: reasoningEffort, parallel_tool_calls: parallel } = body
  const stops = typeof stop === 'string' ? [stop] : (stop ?? [])
  const responseFormat = formatOf(body)
  const toolChoice = choiceOf(body)
  const offersTools = (body.tools ?? []).length > 0
  return {
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof topP === 'number' ? { topP } : {}),
    ...(stops.length > 0 ? { stop: stops } : {}),
    ...(typeof seed === 'number' ? { seed } : {}),
    ...(typeof presencePenalty === 'number' ? { presencePenalty } : {}),
    ...(typeof frequencyPenalty === 'number' ? { frequencyPenalty } : {}),
    ...(reasoningEffort ? { reasoningEffort } : {}),
    ...(responseFormat ? { responseFormat } : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(parallel === false && offersTools ? { parallelToolCalls: false } : {}),
  }
}

/**
 * Throws for what OpenAI's format has and this endpoint has not, unless the request asks for what happens anyway. To leave
 * such a thing out in silence would change what the caller means.
 */
export function refuseUnsupported(body: CompletionBody): void {
  for (const [name, isUsual] of Object.entries(UNSUPPORTED)) {
    const value = body[name]
    if (value === undefined || value === null || isUsual(value)) continue
    throw new HttpFailure(
      400,
      'unsupported-parameter',
      `Unsupported parameter: \`${name}\` is not supported here. Leave it out.`,
      { parameter: name },
    )
  }
}

const never = () => false
const isFalse = (value: unknown) => value === false
const isEmpty = (value: unknown) => Object.keys(value as object).length === 0

const UNSUPPORTED: Readonly<Record<string, (value: unknown) => boolean>> = {
  logprobs: isFalse,
  top_logprobs: (value) => value === 0,
  logit_bias: isEmpty,
  modalities: (value) => JSON.stringify(value) === '["text"]',
  audio: never,
  functions: isEmpty,
  function_call: (value) => value === 'auto' || value === 'none',
  web_search_options: never,
  verbosity: (value) => value === 'medium',
}

function formatOf({ response_format: format }: CompletionBody): ResponseFormat | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  const { name, schema = {}, description, strict } = format.json_schema
  return {
    type: 'json',
    name,
    schema,
    ...(description ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

function choiceOf({ tool_choice: choice, tools }: CompletionBody): CallParameters['toolChoice'] {
  if (!choice || choice === 'auto' || choice === 'none') return undefined
  const name = choice === 'required' ? undefined : choice.function.name
  const isOffered = (tools ?? []).some((tool) => name === undefined || tool.function.name === name)
  if (!isOffered) {
    const which = name === undefined ? 'no tool' : `no tool named ${name}`
    const message = `tool_choice: there is ${which} in \`tools\`.`
    throw new HttpFailure(400, 'invalid-input', message, { parameter: 'tool_choice' })
  }
  return name === undefined ? 'required' : { toolName: name }
}
