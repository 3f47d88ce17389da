import type { ResponseItem } from './response-schema.ts'

/** Calls that the client runs, besides those of functions and custom tools: the tool that they call, and the field with its input. */
export const clientCalls: Readonly<Record<string, { readonly tool: string; readonly field: string } | undefined>> = {
  local_shell_call: { tool: 'local_shell', field: 'action' },
  shell_call: { tool: 'shell', field: 'action' },
  apply_patch_call: { tool: 'apply_patch', field: 'operation' },
}

export const clientOutputs: ReadonlySet<string> = new Set([
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
])

export function isHostedItem(type: string): boolean {
  return HOSTED.has(type)
}

const HOSTED: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
])

/** Fields of an item that have a value and are not read. All fields of a hosted item are in its text. */
export function unreadItemFields(item: ResponseItem): readonly string[] {
  const type = item.type ?? 'message'
  if (isHostedItem(type)) return []
  return Object.entries(item).flatMap(([key, value]) =>
    value === null || value === undefined || READ.has(key) ? [] : [key],
  )
}

const READ: ReadonlySet<string> = new Set([
  'type',
  'id',
  'status',
  'role',
  'content',
  'call_id',
  'name',
  'namespace',
  'arguments',
  'input',
  'output',
  'summary',
  'encrypted_content',
  'action',
  'operation',
])
