import { defined } from '../platform.ts'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'

/**
 * What the caller of an API asks of one call. Each of these reaches the wire of the model as it was asked, or the call
 * fails with `unsupported-parameter` before anything leaves: no parameter changes its meaning in silence.
 */
export interface CallParameters {
  readonly temperature?: number
  readonly topP?: number
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly responseFormat?: ResponseFormat
  readonly reasoningEffort?: ReasoningEffort
  /** The model has to call a tool: any, or the one of this name. */
  readonly toolChoice?: 'required' | { readonly toolName: string }
  /** `false`: at most one tool call in an answer. */
  readonly parallelToolCalls?: false
}

/** Every level there is; a provider has some of them. */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number]

/** An answer that is JSON, by a schema where there is one. */
export interface ResponseFormat {
  readonly type: 'json'
  readonly schema?: Readonly<Record<string, unknown>>
  readonly name?: string
  readonly description?: string
  /** Whether the provider has to hold the answer to the schema. */
  readonly strict?: boolean
}

/** The names that OpenAI has for them, which callers know. */
export const PARAMETER_NAMES: Readonly<Record<keyof CallParameters, string>> = {
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  responseFormat: 'response_format',
  reasoningEffort: 'reasoning_effort',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
}

type SharedOptions = Pick<
  LanguageModelV4CallOptions,
  | 'temperature'
  | 'topP'
  | 'stopSequences'
  | 'seed'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'responseFormat'
  | 'reasoning'
  | 'toolChoice'
>

/** The parameters as the AI SDK's language models read them, as far as they have one name for all providers. */
export function parameterOptions(parameters: CallParameters): SharedOptions {
  const { temperature, topP, stop, seed, presencePenalty, frequencyPenalty } = parameters
  const { responseFormat, reasoningEffort, toolChoice } = parameters
  return {
    ...defined({ temperature, topP }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...defined({ seed, presencePenalty, frequencyPenalty }),
    ...(responseFormat === undefined ? {} : { responseFormat: formatOption(responseFormat) }),
    ...defined({ reasoning: reasoningEffort }),
    ...(toolChoice === undefined ? {} : { toolChoice: choiceOption(toolChoice) }),
  }
}

function formatOption({ schema, name, description }: ResponseFormat): NonNullable<SharedOptions['responseFormat']> {
  return {
    type: 'json',
    ...defined({ schema, name, description }),
  }
}

function choiceOption(choice: NonNullable<CallParameters['toolChoice']>): NonNullable<SharedOptions['toolChoice']> {
  return choice === 'required' ? { type: 'required' } : { type: 'tool', toolName: choice.toolName }
}
