import assert from 'node:assert/strict'
import { createToolbox, type RunContext } from '../../src/tool/toolbox.ts'
import type { DirectTool, Tool, ToolCall, ToolResult, ToolProperties } from '../../src/tool/tool.ts'
import { systemClock } from '../../src/platform.ts'

export const context: RunContext = {
  clock: systemClock,
  session: 's1',
  turn: 't1',
  signal: new AbortController().signal,
}

export const readFile: ToolProperties & DirectTool = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      limit: { type: 'integer', minimum: 1 },
      encoding: { enum: ['utf8', 'base64'] },
    },
    required: ['path'],
    additionalProperties: false,
  },
  execute: async (input) => ({ ok: true, output: `read ${(input as { path: string }).path}` }),
}

export function run(tools: readonly Tool[], one: ToolCall): Promise<ToolResult> {
  return createToolbox(tools).run(one, context)
}

export function call(toolName: string, input: unknown): ToolCall {
  return { toolCallId: 'c1', toolName, input }
}

export function speaking(name: string, output: string): ToolProperties & DirectTool {
  return { name, inputSchema: { type: 'object' }, execute: async () => ({ ok: true, output }) }
}

export function errorOf(result: ToolResult): string {
  assert.equal(result.ok, false)
  return result.ok ? '' : result.error
}
