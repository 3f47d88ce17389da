import type { CompletionEvent } from '../../../capability.ts'
import { fieldsOf } from '../../../platform.ts'
import type { ResponseEvent } from './response-event.ts'
import type { ResponseItem } from './response-schema.ts'
import { LOCAL_SHELL, type OfferedTool } from './response-tools.ts'

type ToolCall = Extract<CompletionEvent, { type: 'tool-call' }>

interface CallItem {
  readonly item: ResponseItem
  readonly events: readonly ResponseEvent[]
}

/** A call of the model in the form of the tool that the client offered: a function, a custom tool, or its shell. */
export function callItem(
  { toolCallId, toolName, input }: ToolCall,
  tools: readonly OfferedTool[],
  { key, index }: { readonly key: string; readonly index: number },
): CallItem {
  // A model can call what nobody offered; the client says so to it.
  const { kind, name, namespace } = tools.find(({ definition }) => definition.name === toolName) ?? {
    kind: 'function' as const,
    name: toolName,
    namespace: undefined,
  }
  const named = { call_id: toolCallId, name, ...(namespace === undefined ? {} : { namespace }) }
  if (kind === 'local_shell') {
    const action = { type: 'exec', ...shellAction(input) }
    const item = { id: `lsh_${key}_${index}`, type: `${LOCAL_SHELL}_call`, call_id: toolCallId, action }
    return streamed({ item, index }, { status: 'in_progress' }, [])
  }
  const custom = kind === 'custom'
  const text = custom ? customText(input) : argumentsText(input)
  const field = custom ? 'input' : 'arguments'
  const id = `${custom ? 'ctc' : 'fc'}_${key}_${index}`
  const item = { id, type: custom ? 'custom_tool_call' : 'function_call', ...named, [field]: text }
  const event = custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  const place = { item_id: id, output_index: index }
  return streamed({ item, index }, { status: 'in_progress', [field]: '' }, [
    { type: `${event}.delta`, ...place, delta: text },
    { type: `${event}.done`, ...place, ...(custom ? {} : { name }), [field]: text },
  ])
}

function streamed(
  { item, index }: { readonly item: ResponseItem; readonly index: number },
  before: object,
  between: readonly ResponseEvent[],
): CallItem {
  const done = { ...item, status: 'completed' }
  return {
    item: done,
    events: [
      { type: 'response.output_item.added', output_index: index, item: { ...item, ...before } },
      ...between,
      { type: 'response.output_item.done', output_index: index, item: done },
    ],
  }
}

/** Arguments that are not JSON are the text that the model wrote. */
function argumentsText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {})
}

/** What a model wrote that did not keep to the schema of a custom tool goes back as it is. */
function customText(input: unknown): string {
  const text = fieldsOf(input)['input']
  return typeof text === 'string' ? text : argumentsText(input)
}

function shellAction(input: unknown): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(input)
  const { command, env } = fields
  return { ...fields, command: commandWords(command), env: env ?? {} }
}

function commandWords(command: unknown): readonly unknown[] {
  if (Array.isArray(command)) return command
  return typeof command === 'string' ? [command] : []
}
