import type { SessionUpdate, ToolCallContent, Diff, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import type { SessionEvent } from '../../capability.ts'
import { messageReasoning, messageText, toolCalls } from '../../context.ts'
import type { AttachedFile, Entry, ApprovalQuestion } from '../../session.ts'
import { resolve } from 'node:path'
import { defined, fieldsOf } from '../../platform.ts'
import { codeBlock, codeSpan } from './plain-text.ts'

/**
 * Updates of one session. `isOwn`: whether the editor itself has sent an input, by its idempotency key. The same
 * events give the same updates whether they are replayed from the log or arrive one by one.
 */
export function sessionUpdates(workspace: string, isOwn: (key: string) => boolean) {
  const streamed = new Map<string, { readonly text: string; readonly reasoning: string }>()
  const calls = new Map<string, LoggedCall & { readonly showsChanges?: true }>()
  /** Messages of others that are not answered yet, by turn. */
  const queued = new Map<string, Waiting>()

  return {
    of(event: Exclude<SessionEvent, { readonly type: 'retry' | 'interrupted' }>): readonly SessionUpdate[] {
      if (event.type === 'entry') return ofEntry(event.entry)
      const { call, text } = event
      const before = streamed.get(call) ?? NOTHING
      const isText = event.type === 'text-delta'
      streamed.set(call, {
        text: before.text + (isText ? text : ''),
        reasoning: before.reasoning + (isText ? '' : text),
      })
      return [chunk(isText ? 'agent_message_chunk' : 'agent_thought_chunk', text, call)]
    },
  }

  function ofEntry(entry: Entry): readonly SessionUpdate[] {
    switch (entry.type) {
      case 'input':
        if (entry.idempotencyKey !== undefined && isOwn(entry.idempotencyKey)) return []
        queued.set(entry.turn, { text: messageText(entry.message), files: entry.attachments ?? [] })
        return []
      case 'edit':
        if (queued.has(entry.turn)) {
          queued.set(entry.turn, { text: messageText(entry.message), files: entry.attachments ?? [] })
        }
        return []
      case 'turn-start':
        return ofInput(entry.turn)
      case 'message':
        return ofMessage(entry)
      case 'tool-start':
        return ofStart(entry)
      case 'approval-request':
        return ofQuestion(entry)
      case 'approval':
        return ofDecision(entry)
      case 'tool-end':
        return ofResult(entry)
      default:
        return []
    }
  }

  function ofInput(turn: string): readonly SessionUpdate[] {
    const input = queued.get(turn)
    queued.delete(turn)
    if (input === undefined) return []
    return [
      ...(input.text === '' ? [] : [chunk('user_message_chunk', input.text, turn)]),
      ...input.files.map(({ file, name }): SessionUpdate => ({
        sessionUpdate: 'user_message_chunk',
        messageId: turn,
        content: { type: 'resource_link', name, uri: `foreword://files/${encodeURIComponent(file)}` },
      })),
    ]
  }

  function ofMessage({ call = '', message }: Extract<Entry, { type: 'message' }>): readonly SessionUpdate[] {
    if (message.role !== 'assistant') return []
    const sent = streamed.get(call) ?? NOTHING
    streamed.delete(call)
    const begun = toolCalls(message).map(({ toolCallId, toolName, input }): SessionUpdate => {
      calls.set(callId(call, toolCallId), { toolName, input })
      return announcement(callId(call, toolCallId), { toolName, input }, 'pending')
    })
    return [
      ...remainder('agent_thought_chunk', messageReasoning(message), sent.reasoning, call),
      ...remainder('agent_message_chunk', messageText(message), sent.text, call),
      ...begun,
    ]
  }

  function ofStart({
    call,
    toolCallId,
    toolName,
    input,
  }: Extract<Entry, { type: 'tool-start' }>): readonly SessionUpdate[] {
    const id = callId(call, toolCallId)
    if (calls.has(id)) return [{ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'in_progress' }]
    calls.set(id, { toolName, input })
    return [announcement(id, { toolName, input }, 'in_progress')]
  }

  function ofQuestion(entry: Extract<Entry, { type: 'approval-request' }>): readonly SessionUpdate[] {
    const { call, approval, toolCallId, request, held } = entry
    if (held) {
      const asked = { title: held.sentence, kind: 'other', status: 'pending' } as const
      return [{ sessionUpdate: 'tool_call', toolCallId: approval, ...asked }]
    }
    const id = callId(call, toolCallId)
    const known = calls.get(id)
    const logged = known ?? { toolName: request.tool, input: request.input }
    const changes = questionChanges(request)
    calls.set(id, changes.length > 0 ? { ...logged, showsChanges: true } : logged)
    const shown =
      changes.length > 0 ? { content: diffContent(changes), locations: [...questionLocations(request)] } : {}
    if (known !== undefined && changes.length === 0) return []
    if (known !== undefined) return [{ sessionUpdate: 'tool_call_update', toolCallId: id, ...shown }]
    return [{ ...announcement(id, logged, 'pending'), ...shown }]
  }

  /** A question about a call to the model ends with its decision; one about a tool with its result. */
  function ofDecision({
    approval,
    toolCallId,
    decision,
  }: Extract<Entry, { type: 'approval' }>): readonly SessionUpdate[] {
    if (toolCallId !== MODEL_CALL) return []
    const status = decision.type === 'deny' ? 'failed' : 'completed'
    return [{ sessionUpdate: 'tool_call_update', toolCallId: approval, status }]
  }

  function ofResult({ call, toolCallId, ok, output }: Extract<Entry, { type: 'tool-end' }>): readonly SessionUpdate[] {
    const id = callId(call, toolCallId)
    const known = calls.get(id)
    calls.delete(id)
    if (known === undefined) return []
    const content = resultContent(known, ok, output)
    const status = ok ? 'completed' : 'failed'
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: id,
        status,
        rawOutput: output,
        ...(content === undefined ? {} : { content }),
      },
    ]
  }

  /** `undefined`: what is shown already stays. */
  function resultContent(
    call: LoggedCall & { readonly showsChanges?: true },
    ok: boolean,
    output: string,
  ): ToolCallContent[] | undefined {
    if (!ok) return outputContent(output)
    if (call.showsChanges) return undefined
    const changes = doneChanges(call, output, workspace)
    return changes.length > 0 ? diffContent(changes) : outputContent(output)
  }

  function announcement(toolCallId: string, call: LoggedCall, status: 'pending' | 'in_progress') {
    return { sessionUpdate: 'tool_call', toolCallId, status, ...shownCall(call, workspace) } as const
  }
}

interface Waiting {
  readonly text: string
  readonly files: readonly AttachedFile[]
}

const NOTHING = { text: '', reasoning: '' }

/** The id of a question about a call to the model, in place of that of a tool call. */
const MODEL_CALL = 'model-call'

/** Providers repeat their ids from answer to answer; an editor needs each once in a session. */
export function callId(call: string, toolCallId: string): string {
  return `${call}/${toolCallId}`
}

type Said = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk'

function chunk(sessionUpdate: Said, text: string, messageId: string): SessionUpdate {
  return { sessionUpdate, messageId, content: { type: 'text', text } }
}

/** The part of a final text that was not streamed. A text that the stream does not begin is a message of its own. */
function remainder(said: Said, text: string, sent: string, call: string): readonly SessionUpdate[] {
  if (text === sent || text === '') return []
  if (text.startsWith(sent)) return [chunk(said, text.slice(sent.length), call)]
  return [chunk(said, text, `${call}/final`)]
}

interface LoggedCall {
  readonly toolName: string
  readonly input: unknown
}

interface ShownCall {
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

/** Changes of a call that nobody was asked about. None for a replaced file: the log does not have its old text. */
function doneChanges({ toolName, input }: LoggedCall, output: string, workspace: string): readonly Diff[] {
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

function outputContent(output: string): ToolCallContent[] {
  return output.trim() === '' ? [] : [{ type: 'content', content: { type: 'text', text: codeBlock(output) } }]
}

interface ChangedText {
  /** The line where it begins, from 1. */
  readonly line: number
  /** `null`: the file is new. */
  readonly oldText: string | null
  readonly newText: string
}

/**
 * The places that a unified diff of one file changes, with the lines around. Empty for a shortened or counting diff.
 */
export function changedTexts(diff: string): readonly ChangedText[] {
  if (!COMPLETE.test(diff)) return []
  const isNew = diff.startsWith('--- /dev/null\n')
  const [, ...hunks] = diff.split(/^(?=@@ -\d)/m)
  const places = hunks.map((hunk) => changedText(hunk, isNew))
  return places.every((place) => place !== undefined) ? places : []
}

/** The two lines that name the file, and places after them. */
const COMPLETE = /^--- .*\n\+\+\+ .*\n@@ -\d/

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

function changedText(hunk: string, isNew: boolean): ChangedText | undefined {
  const [head = '', ...lines] = hunk.replace(/\n$/, '').split('\n')
  const [, , oldCount = '1', newStart = '1', newCount = '1'] = HEAD.exec(head) ?? []
  const before = sideOf(lines, '-')
  const after = sideOf(lines, '+')
  // A diff that was shortened has fewer lines than it says.
  if (before.lines !== Number(oldCount) || after.lines !== Number(newCount)) return undefined
  return { line: Math.max(1, Number(newStart)), oldText: isNew ? null : before.text, newText: after.text }
}

function sideOf(lines: readonly string[], sign: '-' | '+'): { readonly text: string; readonly lines: number } {
  let text = ''
  let count = 0
  let isOfSide = false
  for (const line of lines) {
    // `\ No newline at end of file` is about the line above it.
    if (line.startsWith('\\')) {
      if (isOfSide) text = text.slice(0, -1)
      continue
    }
    isOfSide = line.startsWith(' ') || line.startsWith(sign)
    if (!isOfSide) continue
    text += `${line.slice(1)}\n`
    count += 1
  }
  return { text, lines: count }
}
