import { type AssistantMessage, messageText, toolCalls } from '../context.ts'
import type { ModelEvent } from '../model.ts'
import { defined, ForewordError } from '../platform.ts'
import type { AnswerLimit, CallOutcome, EntryBody, TurnOutcome } from '../session.ts'

export function withoutCalls(message: AssistantMessage): AssistantMessage {
  const { content } = message
  return typeof content === 'string'
    ? message
    : { ...message, content: content.filter(({ type }) => type !== 'tool-call') }
}

/** Whether the newest answer of a turn was cut at its length limit: a call of it without complete arguments did not run. */
export function wasCut(entries: readonly EntryBody[]): boolean {
  const usage = entries.findLast(({ type }) => type === 'usage')
  return usage?.type === 'usage' && usage.finish === 'length'
}

/** Removes tool calls, for models that call tools despite `toolChoice: 'none'`: nothing would answer such a call. `undefined` where no text is left. */
export function answerOnly(message: AssistantMessage): AssistantMessage | undefined {
  if (toolCalls(message).length === 0) return message
  const rest = withoutCalls(message)
  return typeof rest.content !== 'string' && rest.content.some((part) => part.type === 'text') ? rest : undefined
}

/** The model called a tool where it had to answer, and wrote no text. */
export class NoAnswerError extends ForewordError {
  override readonly name = 'NoAnswerError'

  constructor() {
    super(
      'no-answer',
      'The model called a tool in the last step of the turn, where none can be called, and wrote no answer. Ask again, raise agent.maxSteps, or choose another model.',
    )
  }
}

/**
 * A message in which each call has a unique id. Some models give one id twice, or none; results, questions and answers are
 * matched by it.
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
 * the provider reports.
 */
export function answerOutcome(
  message: AssistantMessage,
  { reason, limit, cutCall, message: given }: Finish,
): Exclude<TurnOutcome, { type: 'cancelled' | 'failed' }> {
  if (reason === 'content-filter') return { type: 'content-filter' }
  const cutAt: AnswerLimit | undefined = reason === 'length' ? (limit ?? 'tokens') : undefined
  if (messageText(message).trim() === '') {
    const type = hasReasoning(message) ? 'reasoning-only' : 'empty'
    return { type, ...defined({ limit: cutAt, cutCall }) }
  }
  if (cutAt !== undefined) return { type: 'length', limit: cutAt, ...defined({ cutCall }) }
  // The calls of a last step are removed from its message: the rest is the whole answer.
  const calledInVain = reason === 'tool-calls' && given !== message
  return { type: reason === 'stop' || calledInVain ? 'completed' : 'other' }
}

function hasReasoning({ content }: AssistantMessage): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'reasoning')
}

/** Collects the events of one call. */
export class ResponseAccumulator {
  readonly #started: number
  #wire: CallOutcome['wire']
  #firstAt: number | undefined
  readonly #texts: string[] = []

  /** Times are monotonic, ms. */
  constructor(started: number) {
    this.#started = started
  }

  add(event: ModelEvent, at: number): void {
    if (event.type === 'wire') {
      const { type: _, ...wire } = event
      this.#wire = wire
      return
    }
    if (event.type === 'finish') return
    this.#firstAt ??= at
    if (event.type === 'text-delta') this.#texts.push(event.text)
  }

  /** Whether a part of the answer has arrived: such a call is not retried. */
  get begun(): boolean {
    return this.#firstAt !== undefined
  }

  outcome(now: number, rest: Partial<CallOutcome>): CallOutcome {
    return {
      ...defined({ wire: this.#wire }),
      ...(this.#firstAt === undefined ? {} : { firstTokenMs: Math.round(this.#firstAt - this.#started) }),
      durationMs: Math.round(now - this.#started),
      ...rest,
    }
  }

  /** The text that arrived before the call ended. Half a tool call and half a reasoning text are dropped. */
  partial(): AssistantMessage | undefined {
    const content = this.#texts.join('')
    return content === '' ? undefined : { role: 'assistant', content }
  }
}
