import { type AssistantMessage, messageText, toolCalls } from '../context.ts'
import type { ModelEvent } from '../model.ts'
import { defined } from '../platform.ts'
import type { AnswerLimit, CallOutcome, TurnOutcome } from '../session.ts'

/** Some models call a tool though they were told to call none. Such a call is not run, and not kept: nothing would answer it. */
export function answerOnly(message: AssistantMessage): AssistantMessage | undefined {
  if (typeof message.content === 'string' || toolCalls(message).length === 0) return message
  const content = message.content.filter((part) => part.type !== 'tool-call')
  return content.some((part) => part.type === 'text') ? { ...message, content } : undefined
}

/** The model called a tool where it had to answer, and said nothing besides. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly code = 'no-answer'

  constructor() {
    super(
      'The model called a tool in the last step of the turn, where none can be called, and said nothing. Ask again, raise agent.maxSteps, or choose another model.',
    )
  }
}

/**
 * A message in which each call has an id of its own. Some models give one id twice, or none: results, questions and answers
 * go by it, and must not meet another call.
 */
export function distinctCalls(message: AssistantMessage): AssistantMessage {
  const { content } = message
  if (typeof content === 'string') return message
  const used = new Set<string>()
  const parts = content.map((part) => {
    if (part.type !== 'tool-call') return part
    const toolCallId = freeId(part.toolCallId || 'call', used)
    used.add(toolCallId)
    return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
  })
  return { ...message, content: parts }
}

function freeId(wanted: string, used: ReadonlySet<string>): string {
  if (!used.has(wanted)) return wanted
  let count = used.size + 1
  while (used.has(`${wanted}-${count}`)) count += 1
  return `${wanted}-${count}`
}

type Finish = Extract<ModelEvent, { type: 'finish' }>

/**
 * How a turn ends with this answer, which calls no tool (BEHAVIOURS §1.6). Without words it is never `completed`, whatever
 * the provider says.
 */
export function answerOutcome(
  message: AssistantMessage,
  { reason, limit, message: given }: Finish,
): Exclude<TurnOutcome, { type: 'cancelled' | 'failed' }> {
  if (reason === 'content-filter') return { type: 'content-filter' }
  const cutAt: AnswerLimit | undefined = reason === 'length' ? (limit ?? 'tokens') : undefined
  if (messageText(message).trim() === '') {
    const type = hasReasoning(message) ? 'reasoning-only' : 'empty'
    return { type, ...defined({ limit: cutAt }) }
  }
  if (cutAt !== undefined) return { type: 'length', limit: cutAt }
  // Calls of a last step are taken out of its message: what is left is the whole answer.
  const calledInVain = reason === 'tool-calls' && given !== message
  return { type: reason === 'stop' || calledInVain ? 'completed' : 'other' }
}

function hasReasoning({ content }: AssistantMessage): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'reasoning')
}

/** What has come of an answer so far. */
export class ResponseAccumulator {
  readonly #started: number
  #wire: CallOutcome['wire']
  #firstAt: number | undefined
  #text = ''

  /** Times are monotonic, ms. */
  constructor(started: number) {
    this.#started = started
  }

  add(event: ModelEvent, at: number): void {
    if (event.type === 'wire') {
      const { sha256, bytes, url } = event
      this.#wire = { sha256, bytes, url }
      return
    }
    if (event.type === 'finish') return
    this.#firstAt ??= at
    if (event.type === 'text-delta') this.#text += event.text
  }

  /** Whether anything of an answer has come: such a call is not made again. */
  get begun(): boolean {
    return this.#firstAt !== undefined
  }

  /** The account of the call so far, with `rest`. */
  outcome(now: number, rest: Partial<CallOutcome>): CallOutcome {
    return {
      ...(this.#wire ? { wire: this.#wire } : {}),
      ...(this.#firstAt === undefined ? {} : { firstTokenMs: Math.round(this.#firstAt - this.#started) }),
      durationMs: Math.round(now - this.#started),
      ...rest,
    }
  }

  /** What was said before the call broke off: its text. Half a tool call and half a thought are of no use to anyone. */
  partial(): AssistantMessage | undefined {
    return this.#text === '' ? undefined : { role: 'assistant', content: this.#text }
  }
}
