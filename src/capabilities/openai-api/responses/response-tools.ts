import type { ToolDefinition } from '../../../context.ts'
import { defined, elementsOf, fieldsOf } from '../../../platform.ts'
import { callerTool, HttpFailure, unreadFields } from '../../../server.ts'
import type { ResponseBody, ResponseTool, ResponseItem } from './response-schema.ts'
import { textOf } from '../../../wire.ts'

export interface OfferedTool {
  readonly definition: ToolDefinition
  readonly kind: 'function' | 'custom' | 'local_shell'
  readonly name: string
  readonly namespace?: string
}

interface OfferedTools {
  readonly tools: readonly OfferedTool[]
  /** As `x-foreword-ignored` names it. */
  readonly left: readonly string[]
}

/** Tools that OpenAI itself would run are refused. A search of the web, which agents always offer, is left out. */
export function responseTools({ tools, tool_choice: choice }: ResponseBody): OfferedTools {
  const read = (tools ?? []).map((tool, at) => readTool(tool, `tools.${at}`))
  const all = read.flatMap((each) => each.tools)
  const names = all.map(({ definition }) => definition.name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw invalidTool('tools', `two tools are named ${twice}. Rename one of them`)
  return { tools: allowed(all, choice), left: read.flatMap(({ left }) => left) }
}

function toolName(name: string, namespace?: string | null): string {
  return namespace ? `${namespace}__${name}` : name
}

/** The tool that the format has for commands on the machine of the client. */
export const LOCAL_SHELL = 'local_shell'

function readTool(tool: ResponseTool, where: string, namespace?: string): OfferedTools {
  const { type } = tool
  if (type === 'function' || type === 'custom') {
    return { tools: [ownTool(tool, where, namespace)], left: unreadFields(tool, TOOL_FIELDS[type], 'tools.') }
  }
  if (namespace === undefined && type === 'namespace') return namespaceTools(tool, where)
  if (namespace === undefined && type === LOCAL_SHELL) return { tools: [localShell], left: [] }
  if (namespace === undefined && /^web_search(_preview)?(_\d|$)/.test(type))
    return { tools: [], left: [`tools.${type}`] }
  throw invalidTool(
    where,
    `a tool of type ${type} is run by OpenAI, and cannot be done here. Leave it out, or offer a function that does it`,
  )
}

const TOOL_FIELDS = {
  function: ['type', 'name', 'description', 'parameters', 'strict'],
  custom: ['type', 'name', 'description', 'format'],
  namespace: ['type', 'name', 'description', 'tools'],
}

function ownTool(tool: ResponseTool, where: string, namespace?: string): OfferedTool {
  const { type, name, description } = tool
  if (!name) throw invalidTool(`${where}.name`, 'a tool needs a name')
  const common = { name, ...defined({ namespace }) }
  const model = toolName(name, namespace)
  if (type === 'custom') {
    const { type: format, syntax, definition } = fieldsOf(tool['format'])
    const isGrammar = format === 'grammar' && typeof definition === 'string'
    // Not every provider can hold a model to a grammar, so the model reads it.
    const grammar = isGrammar && `The input must follow this grammar (${String(syntax)}):\n${definition}`
    const text = [description, grammar].filter(Boolean).join('\n\n')
    return {
      ...common,
      kind: 'custom',
      definition: callerTool(model, { description: text, parameters: CUSTOM_SCHEMA }),
    }
  }
  return { ...common, kind: 'function', definition: callerTool(model, tool) }
}

const CUSTOM_SCHEMA = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

function namespaceTools(tool: ResponseTool, where: string): OfferedTools {
  const { name } = tool
  const inner = tool['tools']
  if (!name) throw invalidTool(`${where}.name`, 'a namespace needs a name')
  if (!Array.isArray(inner)) throw invalidTool(`${where}.tools`, 'a namespace needs tools')
  const read = inner.map((each, at) => readTool(each as ResponseTool, `${where}.tools.${at}`, name))
  // There is no place for the description of a group.
  const own = tool.description ? ['tools.namespace.description'] : []
  return {
    tools: read.flatMap((each) => each.tools),
    left: [...own, ...unreadFields(tool, TOOL_FIELDS.namespace, 'tools.'), ...read.flatMap(({ left }) => left)],
  }
}

const localShell: OfferedTool = {
  kind: 'local_shell',
  name: LOCAL_SHELL,
  definition: {
    name: LOCAL_SHELL,
    description: 'Runs a command on the machine of the user and returns its output.',
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
        working_directory: { type: 'string' },
        timeout_ms: { type: 'integer' },
        env: { type: 'object', additionalProperties: { type: 'string' } },
        user: { type: 'string' },
      },
      required: ['command'],
    },
  },
}

/** `allowed_tools` narrows the list, as far as a request can without them. */
function allowed(tools: readonly OfferedTool[], choice: ResponseBody['tool_choice']): readonly OfferedTool[] {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return tools
  const names = new Set(elementsOf(choice['tools']).map((each) => fieldsOf(each)['name'] ?? fieldsOf(each)['type']))
  return tools.filter(({ name, namespace }) => names.has(name) || (namespace !== undefined && names.has(namespace)))
}

function invalidTool(where: string, why: string): HttpFailure {
  return new HttpFailure('invalid-input', `${where}: ${why}.`, { parameter: where })
}

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
