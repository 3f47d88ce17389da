import type { Diff, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { resolve } from 'node:path'
import { defined } from '../../platform.ts'
import type { ApprovalQuestion } from '../../session.ts'
import { changedTexts } from './diff-content.ts'
import { codeBlock, codeSpan } from './plain-text.ts'

export interface LoggedCall {
  readonly toolName: string
  readonly input: unknown
}

export interface ShownCall {
  readonly title: string
  readonly kind: ToolKind
  readonly rawInput: unknown
  readonly locations?: ToolCallLocation[]
}

export function shownCall({ toolName, input }: LoggedCall, workspace: string): ShownCall {
  const { path } = fieldsOf(input)
  return {
    title: titleOf(toolName, input),
    kind: kinds[toolName] ?? 'other',
    rawInput: input,
    ...(typeof path === 'string' && path !== '' ? { locations: [{ path: resolve(workspace, path) }] } : {}),
  }
}

const kinds: Readonly<Record<string, ToolKind>> = {
  edit_file: 'edit',
  write_file: 'edit',
  list_files: 'read',
  read_file: 'read',
  read_attachment: 'read',
  read_context: 'read',
  read_full_notes: 'read',
  read_history: 'read',
  read_result: 'read',
  read_skill: 'read',
  find_skill: 'search',
  search_attachment: 'search',
  search_files: 'search',
  search_files_of_agent: 'search',
  search_project: 'search',
  web_search: 'search',
  open_url: 'fetch',
  shell: 'execute',
}

function titleOf(tool: string, input: unknown): string {
  const { cmd, path, url, query, pattern, name } = fieldsOf(input)
  if (tool === 'shell' && typeof cmd === 'string') return codeSpan(cmd)
  const about = [path, url, query, pattern, name].find(
    (field): field is string => typeof field === 'string' && field !== '',
  )
  return about === undefined ? codeSpan(tool) : `${codeSpan(tool)} ${codeSpan(about)}`
}

/** Empty where it changes no file. */
export function questionChanges({ diff, folder, facts, input }: ApprovalQuestion): readonly Diff[] {
  if (diff === undefined || folder === undefined) return []
  const named = facts?.['path'] ?? fieldsOf(input)['path']
  if (typeof named !== 'string') return []
  const path = resolve(folder, named)
  return changedTexts(diff).map(({ oldText, newText }) => ({ path, oldText, newText }))
}

export function questionLocations(question: ApprovalQuestion): readonly ToolCallLocation[] {
  const places = question.diff === undefined ? [] : changedTexts(question.diff)
  return questionChanges(question).map(({ path }, index) => ({ path, ...defined({ line: places[index]?.line }) }))
}

/**
 * What a call that nobody was asked about has changed. The log does not have the old text of a file that was
 * replaced, so nothing is shown for it.
 */
export function doneChanges({ toolName, input }: LoggedCall, output: string, workspace: string): readonly Diff[] {
  const { path, old_text, new_text, content } = fieldsOf(input)
  if (typeof path !== 'string') return []
  const absolute = resolve(workspace, path)
  if (toolName === 'edit_file' && typeof old_text === 'string' && typeof new_text === 'string') {
    return [{ path: absolute, oldText: old_text, newText: new_text }]
  }
  const isNew = toolName === 'write_file' && output.startsWith('created ')
  return isNew && typeof content === 'string' ? [{ path: absolute, oldText: null, newText: content }] : []
}

export function diffContent(changes: readonly Diff[]): ToolCallContent[] {
  return changes.map((change) => ({ type: 'diff', ...change }))
}

export function outputContent(output: string): ToolCallContent[] {
  return output.trim() === '' ? [] : [{ type: 'content', content: { type: 'text', text: codeBlock(output) } }]
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
}
