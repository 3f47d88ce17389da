import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import type { SessionEvent } from '../../capability.ts'
import { messageReasoning, messageText, toolCalls } from '../../context.ts'
import type { AttachedFile, Entry } from '../../session.ts'
import {
  diffContent,
  doneChanges,
  type LoggedCall,
  outputContent,
  questionChanges,
  questionLocations,
  shownCall,
} from './tool-call.ts'

/**
 * Updates of one session. `isOwn`: whether the editor itself has sent an input, by its idempotency key. The same
 * events give the same updates whether they are replayed from the log or arrive one by one.
 */
export function sessionUpdates(workspace: string, isOwn: (key: string) => boolean) {
  /** Streamed text by call. */
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
