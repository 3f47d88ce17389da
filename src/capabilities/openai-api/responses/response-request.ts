import { type CallParameters, type ResponseFormat } from '../../../model.ts'
import { HttpFailure } from '../../../server.ts'
import { jsonFormat } from '../http/json-format.ts'
import { type ResponseBody, responseFields } from './response-schema.ts'
import type { OfferedTool } from './response-tools.ts'

export function responseParameters(body: ResponseBody, tools: readonly OfferedTool[]): CallParameters {
  const { temperature, top_p: topP, reasoning, text, parallel_tool_calls: parallel } = body
  const responseFormat = readFormat(text?.format)
  const toolChoice = readChoice(body.tool_choice, tools)
  return {
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof topP === 'number' ? { topP } : {}),
    ...(reasoning?.effort ? { reasoningEffort: reasoning.effort } : {}),
    ...(responseFormat ? { responseFormat } : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(parallel === false && tools.length > 0 ? { parallelToolCalls: false } : {}),
  }
}

/** Throws unless the value asks for the default behaviour. */
export function refuseUnsupportedFields(body: ResponseBody): void {
  for (const [name, { isUsual, instead }] of Object.entries(UNSUPPORTED)) {
    const value = body[name]
    if (value === undefined || value === null || isUsual?.(value)) continue
    const message = `Unsupported parameter: \`${name}\` is not supported here. ${instead}`
    throw new HttpFailure('unsupported-parameter', message, { parameter: name })
  }
}

interface Unsupported {
  readonly isUsual?: (value: unknown) => boolean
  readonly instead: string
}

const UNSUPPORTED: Readonly<Record<string, Unsupported>> = {
  background: {
    isUsual: (value) => value === false,
    instead: 'Leave it out, and stream the response; a turn of a session goes on if you disconnect.',
  },
  conversation: { instead: 'Name the conversation with `user`, `x-foreword-session` or `previous_response_id`.' },
  prompt: { instead: 'Send its text as `instructions`.' },
  context_management: { instead: 'Leave it out; `truncation` says what happens to an input that does not fit.' },
  top_logprobs: { isUsual: (value) => value === 0, instead: 'Leave it out.' },
}

export function ignoredResponseFields(body: ResponseBody, inSession: boolean): readonly string[] {
  const { text, reasoning, include, tool_choice: choice } = body as ResponseBody & { readonly include?: unknown }
  const names = Object.entries(body).flatMap(([key, value]) =>
    value === null || value === undefined || NAMED_ELSEWHERE.has(key) ? [] : [key],
  )
  for (const key of unread(text, ['format'])) names.push(`text.${key}`)
  for (const key of unread(reasoning, ['effort', 'summary'])) names.push(`reasoning.${key}`)
  if (Array.isArray(include)) names.push(...include.map((each) => `include.${String(each)}`))
  if (!inSession) return names
  for (const key of ['instructions', 'max_output_tokens', 'truncation'] as const) if (body[key]) names.push(key)
  if (choice !== undefined && choice !== null && choice !== 'auto') names.push('tool_choice')
  if (Array.isArray(body.input) && body.input.length > 1) names.push('input.earlier')
  return names
}

const NAMED_ELSEWHERE: ReadonlySet<string> = new Set([...responseFields, ...Object.keys(UNSUPPORTED), 'include'])

function unread(fields: object | null | undefined, read: readonly string[]): readonly string[] {
  return Object.entries(fields ?? {}).flatMap(([key, value]) =>
    value === null || value === undefined || read.includes(key) ? [] : [key],
  )
}

function readFormat(format: NonNullable<ResponseBody['text']>['format']): ResponseFormat | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  return jsonFormat(format)
}

function readChoice(
  choice: ResponseBody['tool_choice'],
  tools: readonly OfferedTool[],
): CallParameters['toolChoice'] | undefined {
  if (!choice || choice === 'auto' || choice === 'none') return undefined
  if (choice === 'required') return tools.length > 0 ? 'required' : refuseChoice('no tool')
  if (typeof choice === 'string') return refuseChoice(`no tool ${choice}`)
  const { type, name } = choice
  if (type === 'allowed_tools') {
    if (choice['mode'] !== 'required') return undefined
    return tools.length > 0 ? 'required' : refuseChoice('none of the allowed tools')
  }
  const wanted = name ?? type
  const tool = tools.find((each) => each.name === wanted || each.definition.name === wanted)
  return tool ? { toolName: tool.definition.name } : refuseChoice(`no tool named ${wanted}`)
}

function refuseChoice(which: string): never {
  const message = `Invalid request: \`tool_choice\` needs a tool, and \`tools\` has ${which}.`
  throw new HttpFailure('invalid-input', message, { parameter: 'tool_choice' })
}
