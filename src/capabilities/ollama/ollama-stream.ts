import { randomUUID } from 'node:crypto'
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { UnexpectedAnswer } from '../../model.ts'

type Controller = TransformStreamDefaultController<LanguageModelV4StreamPart>

/**
 * Converts the lines of an Ollama answer, split anywhere, to parts of an AI SDK stream. The error for an invalid line
 * names `contentType`.
 */
export function ollamaParts(contentType = ''): TransformStream<string, LanguageModelV4StreamPart> {
  let unfinished = ''
  const blocks = blockWriter()
  return new TransformStream({
    transform(chunk, controller) {
      const lines = chunk.split('\n')
      lines[0] = unfinished + lines[0]
      unfinished = lines.pop() ?? ''
      for (const line of lines) readLine(line, blocks, controller, contentType)
    },
    flush(controller) {
      readLine(unfinished, blocks, controller, contentType)
    },
  })
}

interface Line {
  readonly error?: string
  readonly message?: {
    readonly content?: string
    readonly thinking?: string
    readonly tool_calls?: readonly { readonly id?: string; readonly function?: WireCall }[]
  }
  readonly done?: boolean
  readonly done_reason?: string
  readonly prompt_eval_count?: number
  readonly eval_count?: number
}

interface WireCall {
  readonly name?: string
  readonly arguments?: unknown
}

function readLine(text: string, blocks: BlockWriter, controller: Controller, contentType: string): void {
  if (text.trim() === '') return
  const line = parsed(text)
  if (!line) return controller.enqueue({ type: 'error', error: new UnexpectedAnswer('', text) })
  if (line.error !== undefined) return controller.enqueue({ type: 'error', error: { error: line.error } })
  const { message } = line
  if (!message && !line.done)
    return controller.enqueue({ type: 'error', error: new UnexpectedAnswer(contentType, text) })
  if (message?.thinking) blocks.write('reasoning', message.thinking, controller)
  if (message?.content) blocks.write('text', message.content, controller)
  for (const call of message?.tool_calls ?? []) {
    blocks.end(controller)
    const { name = '', arguments: input = {} } = call.function ?? {}
    const json = typeof input === 'string' ? input : JSON.stringify(input)
    controller.enqueue({
      type: 'tool-call',
      toolCallId: call.id || `call_${randomUUID()}`,
      toolName: name,
      input: json,
    })
  }
  if (!line.done) return
  blocks.end(controller)
  controller.enqueue({ type: 'finish', finishReason: finishReason(line.done_reason), usage: readUsage(line) })
}

type BlockWriter = ReturnType<typeof blockWriter>

/** Consecutive text, and consecutive reasoning, is one block with a start and an end. */
function blockWriter() {
  let open: { type: 'text' | 'reasoning'; id: string } | undefined
  let count = 0
  const end = (controller: Controller): void => {
    if (open) controller.enqueue({ type: `${open.type}-end`, id: open.id })
    open = undefined
  }
  return {
    write(type: 'text' | 'reasoning', delta: string, controller: Controller): void {
      if (open?.type !== type) {
        end(controller)
        open = { type, id: String((count += 1)) }
        controller.enqueue({ type: `${type}-start`, id: open.id })
      }
      controller.enqueue({ type: `${type}-delta`, id: open.id, delta })
    },
    end,
  }
}

/** Older servers end only complete answers without a reason. */
function finishReason(raw = 'stop'): LanguageModelV4FinishReason {
  return { unified: raw === 'stop' || raw === 'length' ? raw : 'other', raw }
}

/**
 * Zero counts as unreported: servers with the whole prompt in their cache report no number, or zero (ollama issues
 * 2068 and 3427).
 */
function readUsage(line: Line): LanguageModelV4Usage {
  const total = line.prompt_eval_count || undefined
  return {
    inputTokens: { total, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: line.eval_count, text: undefined, reasoning: undefined },
  }
}

function parsed(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
