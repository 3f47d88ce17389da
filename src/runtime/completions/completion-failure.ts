import type { Manifest } from '../../context.ts'
import { type Model, ModelError } from '../../model.ts'
import { defined, errorMessage } from '../../platform.ts'
import { budgetFor, type Refusal } from '../calls/call-budget.ts'
import { type CompletionCut, type CompletionInput, RuntimeError, type RuntimeErrorCode } from '../../capability.ts'
import type { AssemblyContext } from '../calls/assembly-context.ts'

/** Throws `invalid-input` for what no model call can be made of: an answer larger than the window, images for the blind. */
export function assertCanBeMade(
  context: AssemblyContext,
  { maxOutputTokens, messages, prompt }: CompletionInput,
  model: Model,
): void {
  const { window } = budgetFor(context, model)
  if (maxOutputTokens !== undefined && maxOutputTokens >= window) {
    const most = Math.min(model.facts.maxOutput, window - 1)
    throw new RuntimeError(
      'invalid-input',
      `max_tokens is too large: ${maxOutputTokens}. ${model.id} supports at most ${most} completion tokens in its window of ${window}. ` +
        `If its window is larger, set models."${model.id}".window.`,
      { parameter: 'max_tokens', most, window },
    )
  }
  const adds = prompt ?? context.settings.completions?.prompt ?? false
  if (!adds && !model.facts.vision && messages.some(hasImage)) {
    throw new RuntimeError(
      'invalid-input',
      `${model.id} cannot see images. Choose a model that can, leave the images out, or set models."${model.id}".vision to true if it can.`,
      { parameter: 'messages' },
    )
  }
}

/** What was asked for is larger than its room, by our count. `sent` includes the margin for the counter's error. */
export function tooLarge(call: string, { used, budget }: Manifest, cut: CompletionCut | undefined): RuntimeError {
  const sent = used + (cut?.tokensLeftOut ?? 0) + budget.margin
  return overflow({ call, limit: budget.window, sent, reserve: budget.reserve })
}

/** The provider refused it as too large, by its own count where it told it. */
export function tooLargeForProvider(
  call: string,
  { limit, sent, used, said }: Refusal & { readonly said: string | undefined },
): RuntimeError {
  const facts = { ...defined({ limit }), ...(said ? { said } : {}) }
  return overflow({ call, ...facts, sent: Math.max(sent ?? used, (limit ?? 0) + 1) })
}

/** A call that failed, with what a caller can act on. */
export function failureOfCall(call: string, error: unknown): RuntimeError {
  const message = errorMessage(error)
  if (!(error instanceof ModelError)) return new RuntimeError(codeOf(error), message, { call }, { cause: error })
  const { retryAfterMs, parameter } = error.facts
  const facts = {
    call,
    ...defined({ retryAfterMs, parameter }),
  }
  return new RuntimeError(error.code, message, facts, { cause: error })
}

interface OverflowFacts {
  readonly call: string
  readonly limit?: number
  readonly sent: number
  readonly reserve?: number
  /** What the provider said of it. */
  readonly said?: string
}

function overflow(facts: OverflowFacts): RuntimeError {
  const { limit, sent, reserve, said } = facts
  const takes = limit === undefined ? 'The model takes less' : `The model's window holds ${limit} tokens`
  const answer = reserve === undefined ? '' : `, and ${reserve} are kept for the answer`
  return new RuntimeError(
    'context-overflow',
    `${takes}: the messages and tools need ${sent}${answer}. Send fewer messages, or allow them to be cut.${
      said === undefined ? '' : ` It said: ${said}`
    }`,
    { ...facts },
  )
}

function codeOf(error: unknown): RuntimeErrorCode {
  return (error as { code?: unknown } | undefined)?.code === 'no-answer' ? 'no-answer' : 'internal'
}

function hasImage({ content }: CompletionInput['messages'][number]): boolean {
  if (typeof content === 'string') return false
  return content.some((part) => part.type === 'image' || (part.type === 'file' && part.mediaType.startsWith('image')))
}
