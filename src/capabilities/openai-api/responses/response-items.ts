import { textOf } from '../../../wire.ts'
import type { ResponseBody, ResponseItem } from './response-schema.ts'
import { toolName } from './response-tools.ts'

export function inputItems({ input = [] }: Pick<ResponseBody, 'input'>): readonly ResponseItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input
}

/**
 * An item in the form in which every provider can have it: a call of a custom tool or of one in a namespace as that of a function, what
 * OpenAI's own tools did as a text of the model, and a note of this gateway as a message. Any other stays as it is.
 */
export function readableItem(given: ResponseItem): ResponseItem {
  const { type, name, namespace, input, ...rest } = given
  const note = ownNote(given)
  if (note !== undefined) return { type: 'message', role: 'user', content: note }
  if (HOSTED.has(type ?? '')) {
    const { id: _id, type: _type, status: _status, ...done } = given
    return { type: 'message', role: 'assistant', content: `[${type}] ${JSON.stringify(done)}` }
  }
  if (type === 'custom_tool_call' && typeof input === 'string') {
    return { ...rest, type: 'function_call', name, arguments: JSON.stringify({ input }) }
  }
  if (type !== 'function_call' || typeof namespace !== 'string') return given
  return { ...rest, type, name: toolName(String(name), namespace), ...(input === undefined ? {} : { input }) }
}

const HOSTED: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
])

/**
 * The field is meant for what only its provider can read. Here it is the note itself, since a client that has it has the conversation, too,
 * and could say the same in a message.
 */
const OWN = 'foreword.note.'

export function noteContent(text: string): string {
  return OWN + Buffer.from(text).toString('base64url')
}

export function ownNote({ type, encrypted_content: content }: ResponseItem): string | undefined {
  if (type !== 'compaction' || !textOf(content)?.startsWith(OWN)) return undefined
  return Buffer.from(String(content).slice(OWN.length), 'base64url').toString('utf8')
}
