import { type CallParameters, PARAMETER_NAMES, type ResponseFormat } from './call-parameters.ts'
import { ModelError } from './model-error.ts'

/**
 * The first of a caller's parameters that is not in a request body, or is there with another value; `undefined` where all
 * of them are. Reads the bodies of every wire that is spoken here: the packages of providers leave out in silence what a
 * model does not take.
 */
export function missingOnWire(parameters: CallParameters, body: unknown): keyof CallParameters | undefined {
  const wire = record(body)
  const asked = Object.keys(parameters) as (keyof CallParameters)[]
  return asked.find((name) => parameters[name] !== undefined && !CHECKS[name](wire, parameters))
}

type Body = Readonly<Record<string, unknown>>
type Check = (wire: Body, parameters: CallParameters) => boolean

/** What a provider does anyway needs no place on its wire. */
const CHECKS: Readonly<Record<keyof CallParameters, Check>> = {
  temperature: (wire, { temperature }) => temperature === 1 || value(wire, 'temperature') === temperature,
  topP: (wire, { topP }) => topP === 1 || value(wire, 'top_p') === topP,
  presencePenalty: (wire, { presencePenalty: asked }) => asked === 0 || value(wire, 'presence_penalty') === asked,
  frequencyPenalty: (wire, { frequencyPenalty: asked }) => asked === 0 || value(wire, 'frequency_penalty') === asked,
  seed: (wire, { seed }) => value(wire, 'seed') === seed,
  stop: (wire, { stop }) => isDeepEqual(value(wire, 'stop') ?? wire['stop_sequences'], stop),
  responseFormat: (wire, { responseFormat }) => hasFormat(wire, responseFormat!),
  reasoningEffort: (wire, { reasoningEffort }) => reasoningEffort === 'none' || hasEffort(wire),
  toolChoice: (wire, { toolChoice }) => hasChoice(wire['tool_choice'], toolChoice!),
  parallelToolCalls: (wire) =>
    wire['parallel_tool_calls'] === false || record(wire['tool_choice'])['disable_parallel_tool_use'] === true,
}

/** Ollama has a place of its own for what other wires have beside the messages. */
function value(wire: Body, name: string): unknown {
  return wire[name] ?? record(wire['options'])[name]
}

/** Chat Completions, Responses, Messages and Ollama each have their own place; old models of Anthropic's call a tool. */
function hasFormat(wire: Body, { schema }: ResponseFormat): boolean {
  const format = [
    wire['response_format'],
    record(wire['text'])['format'],
    record(wire['output_config'])['format'],
    wire['output_format'],
  ].find((candidate) => candidate !== undefined)
  const type = record(format)['type']
  if (schema === undefined) return type === 'json_object' || wire['format'] === 'json'
  if (type === 'json_schema' || typeof wire['format'] === 'object') return true
  const choice = record(wire['tool_choice'])
  return Array.isArray(wire['tools']) && (choice['name'] === 'json' || choice['type'] === 'any')
}

function hasEffort(wire: Body): boolean {
  const places = [
    wire['reasoning_effort'],
    record(wire['reasoning'])['effort'],
    wire['think'],
    record(wire['output_config'])['effort'],
  ]
  return places.some((place) => place !== undefined) || record(wire['thinking'])['type'] === 'enabled'
}

function hasChoice(wire: unknown, asked: NonNullable<CallParameters['toolChoice']>): boolean {
  const { type, name } = record(wire)
  if (asked === 'required') return wire === 'required' || type === 'any'
  return name === asked.toolName || record(record(wire)['function'])['name'] === asked.toolName
}

function isDeepEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function record(given: unknown): Body {
  return typeof given === 'object' && given !== null ? (given as Body) : {}
}

/** The error of a call that asks for something its model has no place for. `facts.parameter` is OpenAI's name of it. */
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
