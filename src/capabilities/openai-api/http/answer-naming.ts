import type { CompletionCut, CompletionEvent } from '../../../capability.ts'
import { defined } from '../../../platform.ts'
import type { AnswerNames } from './openai-answer.ts'
import type { CompletionSource } from './session-source.ts'
import type { AnswerEvent } from './turn-completion.ts'

/**
 * Finds the names of an answer: those of the first call that answers. A call that its provider refused as too large does not
 * count, and a turn's later calls belong to the same answer.
 */
export function answerNaming(
  source: Pick<CompletionSource, 'session' | 'turn'>,
  model: string | undefined,
): { note(event: AnswerEvent): void; names(): AnswerNames } {
  let start: CallStart | undefined
  let answers = false
  return {
    note(event) {
      if (event.type !== 'call-start') answers = true
      else if (!answers) start = event
    },
    names: () => ({
      call: start?.call ?? source.turn ?? 'none',
      model: start?.model || (model ?? 'foreword'),
      created: Math.floor(Date.now() / 1000),
      ...defined({ session: source.session, turn: source.turn }),
      ...(start?.cut === undefined ? {} : { cut: start.cut }),
    }),
  }
}

type CallStart = Extract<CompletionEvent, { type: 'call-start' }>

/** The names of an answer as headers. */
export function namingHeaders({ call, session, turn, cut }: AnswerNames): Readonly<Record<string, string>> {
  return {
    'x-foreword-call': encodeURIComponent(call),
    ...(session === undefined ? {} : { 'x-foreword-session': encodeURIComponent(session) }),
    ...(turn === undefined ? {} : { 'x-foreword-turn': encodeURIComponent(turn) }),
    ...(cut === undefined ? {} : { 'x-foreword-cut': cutHeader(cut) }),
  }
}

/** What of a request was ignored, as a header; none where all of it was read. */
export function ignoredHeader(left: readonly string[]): Readonly<Record<string, string>> {
  return left.length === 0 ? {} : { 'x-foreword-ignored': left.map(encodeURIComponent).join(', ') }
}

function cutHeader({ messagesLeftOut, messages, resultsShortened, tokensLeftOut }: CompletionCut): string {
  return `messages=${messagesLeftOut}/${messages}, results=${resultsShortened}, tokens=${tokensLeftOut}`
}
