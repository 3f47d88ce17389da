import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { defined, fieldsOf } from '../platform.ts'
import { ModelError } from './model-error.ts'

/**
 * Parameters of one call from an API client. Each of them reaches the provider unchanged, or the call fails with
 * `unsupported-parameter` before anything is sent.
 */
export interface CallParameters {
  readonly temperature?: number
  readonly topP?: number
  /** Of so many most likely tokens the next one is drawn. */
  readonly topK?: number
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly responseFormat?: ResponseFormat
  readonly reasoningEffort?: ReasoningEffort
  /** The model must call a tool: any, or the one with this name. */
  readonly toolChoice?: 'required' | { readonly toolName: string }
  /** `false`: at most one tool call in an answer. */
  readonly parallelToolCalls?: false
}

/** All levels; each provider supports some of them. */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number]

/** Asks for JSON, with an optional schema. */
export interface ResponseFormat {
  readonly type: 'json'
  readonly schema?: Readonly<Record<string, unknown>>
  readonly name?: string
  readonly description?: string
  /** Whether the provider must enforce the schema. */
  readonly strict?: boolean
}

/** The names of OpenAI, which clients know. */
export const PARAMETER_NAMES: Readonly<Record<keyof CallParameters, string>> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  responseFormat: 'response_format',
  reasoningEffort: 'reasoning_effort',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
}

/** The parameters as options of the AI SDK, as far as they have one name for all providers. */
export function parameterOptions(parameters: CallParameters): Partial<LanguageModelV4CallOptions> {
  const {
    stop,
    responseFormat: given,
    reasoningEffort: reasoning,
    toolChoice,
    parallelToolCalls: _,
    ...same
  } = parameters
  const { strict: _strict, ...responseFormat } = given ?? { type: 'json' }
  return {
    ...same,
    ...defined({
      stopSequences: stop && [...stop],
      responseFormat: given && responseFormat,
      reasoning,
      toolChoice:
        typeof toolChoice === 'object'
          ? { type: 'tool' as const, toolName: toolChoice.toolName }
          : toolChoice && { type: toolChoice },
    }),
  }
}

/**
 * The first parameter that a request body lacks or has with another value; `undefined` if all are there. Reads the bodies of
 * all supported APIs, because provider packages silently leave out parameters that a model does not support.
 */
export function missingOnWire(parameters: CallParameters, body: unknown): keyof CallParameters | undefined {
  const wire = fieldsOf(body)
  const asked = Object.keys(parameters) as (keyof CallParameters)[]
  return asked.find((name) => parameters[name] !== undefined && !CHECKS[name](wire, parameters))
}

type Body = Readonly<Record<string, unknown>>
type Check = (wire: Body, parameters: CallParameters) => boolean

/** A default of the provider may be missing in the body. */
const CHECKS: Readonly<Record<keyof CallParameters, Check>> = {
  temperature: sameValue('temperature', 1),
  topP: sameValue('topP', 1),
  topK: sameValue('topK'),
  presencePenalty: sameValue('presencePenalty', 0),
  frequencyPenalty: sameValue('frequencyPenalty', 0),
  seed: sameValue('seed'),
  stop: (wire, { stop }) => JSON.stringify(value(wire, 'stop') ?? wire['stop_sequences']) === JSON.stringify(stop),
  responseFormat: (wire, { responseFormat }) => hasFormat(wire, responseFormat!),
  reasoningEffort: (wire, { reasoningEffort }) => reasoningEffort === 'none' || hasEffort(wire),
  toolChoice: (wire, { toolChoice }) => hasChoice(wire['tool_choice'], toolChoice!),
  parallelToolCalls: (wire) =>
    wire['parallel_tool_calls'] === false || fieldsOf(wire['tool_choice'])['disable_parallel_tool_use'] === true,
}

/** The same value, under OpenAI's name; `usual` may be missing. */
function sameValue(name: keyof CallParameters, usual?: number): Check {
  return (wire, { [name]: asked }) => asked === usual || value(wire, PARAMETER_NAMES[name]) === asked
}

/** Some APIs put these parameters under `options`. */
function value(wire: Body, name: string): unknown {
  return wire[name] ?? fieldsOf(wire['options'])[name]
}

/** Each API has its own field for the format; older models of one provider call a tool instead. */
function hasFormat(wire: Body, { schema }: ResponseFormat): boolean {
  const format = [
    wire['response_format'],
    fieldsOf(wire['text'])['format'],
    fieldsOf(wire['output_config'])['format'],
    wire['output_format'],
  ].find((candidate) => candidate !== undefined)
  const type = fieldsOf(format)['type']
  if (schema === undefined) return type === 'json_object' || wire['format'] === 'json'
  if (type === 'json_schema' || typeof wire['format'] === 'object') return true
  const choice = fieldsOf(wire['tool_choice'])
  return Array.isArray(wire['tools']) && (choice['name'] === 'json' || choice['type'] === 'any')
}

function hasEffort({ reasoning_effort, reasoning, think, output_config, thinking }: Body): boolean {
  const places = [reasoning_effort, fieldsOf(reasoning)['effort'], think, fieldsOf(output_config)['effort']]
  return places.some((place) => place !== undefined) || fieldsOf(thinking)['type'] === 'enabled'
}

function hasChoice(wire: unknown, asked: NonNullable<CallParameters['toolChoice']>): boolean {
  const { type, name } = fieldsOf(wire)
  if (asked === 'required') return wire === 'required' || type === 'any'
  return name === asked.toolName || fieldsOf(fieldsOf(wire)['function'])['name'] === asked.toolName
}

/** The error for a parameter that the model does not support. `facts.parameter` is OpenAI's name of it. */
export function unsupportedParameter(
  parameter: keyof CallParameters,
  { provider, model }: { readonly provider: string; readonly model: string },
): ModelError {
  const name = PARAMETER_NAMES[parameter]
  const id = model === '' || model === provider ? provider : `${provider}/${model}`
  return new ModelError(
    'unsupported-parameter',
    `Unsupported parameter: \`${name}\` cannot be passed to ${id}, or not with this value. Leave it out, or choose another model.`,
    { provider, model, parameter: name },
  )
}
