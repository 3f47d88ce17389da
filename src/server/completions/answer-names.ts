import type { CompletionCut, CompletionEvent } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { CompletionSource } from './completion-source.ts'
import type { AnswerEvent } from './turn-completion.ts'

/** What an answer is called: in its headers, and in every piece of it. */
export interface CompletionNames {
  /** The first call that answers: `x-foreword-call`, and the id of the answer. */
  readonly call: string
  readonly model: string
  readonly session?: string
  readonly turn?: string
  readonly cut?: CompletionCut
}

/** Names an answer after its first call that was not refused as too large. `model`: the name where no call has begun. */
export function answerNaming({ session, turn }: Pick<CompletionSource, 'session' | 'turn'>, model: string) {
  let start: CallStart | undefined
  let answers = false
  return {
    note(event: AnswerEvent): void {
      if (event.type !== 'call-start') answers = true
      else if (!answers) start = event
    },
    names: (): CompletionNames => ({
      call: start?.call ?? turn ?? 'none',
      model: start?.model || model,
      ...defined({ session, turn, cut: start?.cut }),
    }),
  }
}

type CallStart = Extract<CompletionEvent, { type: 'call-start' }>

export function namingHeaders({ call, session, turn, cut }: CompletionNames): Readonly<Record<string, string>> {
  return {
    'x-foreword-call': encodeURIComponent(call),
    ...(session === undefined ? {} : { 'x-foreword-session': encodeURIComponent(session) }),
    ...(turn === undefined ? {} : { 'x-foreword-turn': encodeURIComponent(turn) }),
    ...(cut === undefined ? {} : { 'x-foreword-cut': cutHeader(cut) }),
  }
}

function cutHeader({ messagesLeftOut, messages, resultsShortened, tokensLeftOut }: CompletionCut): string {
  return `messages=${messagesLeftOut}/${messages}, results=${resultsShortened}, tokens=${tokensLeftOut}`
}

export function cutField({ messages, messagesLeftOut, resultsShortened, tokensLeftOut }: CompletionCut): unknown {
  return {
    messages,
    messages_left_out: messagesLeftOut,
    results_shortened: resultsShortened,
    tokens_left_out: tokensLeftOut,
  }
}

/** The header that names the fields of a request that were read by nobody. */
export function ignoredHeader(names: readonly string[]): Readonly<Record<string, string>> {
  return names.length === 0
    ? {}
    : { 'x-foreword-ignored': names.map((name) => encodeURIComponent(name.toWellFormed())).join(', ') }
}
