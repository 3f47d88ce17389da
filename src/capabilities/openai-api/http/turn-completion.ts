import { messageText } from '../../../context.ts'
import { type CompletionEvent, type Runtime, RuntimeError, type RuntimeErrorCode } from '../../../capability.ts'
import { turnTotals } from '../../../runtime.ts'
import { type Entry, type Usage } from '../../../session.ts'
import { type FinishReason } from '../../../model.ts'
import { type AnswerCitation, answerCitations } from '../../../citation.ts'
import { messageReasoning } from '../../../server.ts'

/** What an answer tells here: of a session it tells the markers of each message, too, when it is whole. */
export type AnswerEvent =
  | CompletionEvent
  | { readonly type: 'citations'; readonly citations: readonly AnswerCitation[] }

/**
 * A turn of a session as if it were one completion: what all its calls say, one after another, and the sums of what they
 * cost. Tools run in the gateway and are not told. Throws `RuntimeError` where the turn failed.
 */
export async function* turnCompletion(
  runtime: Runtime,
  session: string,
  turn: string,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const usages: Usage[] = []
  let calls = 0
  let said = false
  let ended: FinishReason = 'stop'
  let told = { text: '', reasoning: '' }
  let length = 0
  for await (const event of runtime.events(session, { turn, signal })) {
    if (event.type === 'interrupted') throw new RuntimeError(event.code, event.message, { turn })
    if (event.type === 'entry') {
      yield* ofEntry(event.entry)
      if (event.entry.type === 'turn-end') return
    } else if (event.type === 'text-delta') {
      yield spoken(apart(event.text))
      told.text += event.text
    } else if (event.type === 'reasoning-delta') {
      yield { type: 'reasoning-delta', text: event.text }
      told.reasoning += event.text
    }
  }

  function spoken(text: string): CompletionEvent {
    length += text.length
    return { type: 'text-delta', text }
  }

  function* ofEntry(entry: Entry): Generator<AnswerEvent> {
    if (entry.type === 'assembly') {
      calls += 1
      told = { text: '', reasoning: '' }
      yield { type: 'call-start', call: entry.call, model: entry.model ?? '' }
    } else if (entry.type === 'message') {
      const text = yield* missed(messageText(entry.message), messageReasoning(entry.message))
      const citations = answerCitations(text, entry.citations ?? [], length - text.length)
      if (citations.length > 0) yield { type: 'citations', citations }
    } else if (entry.type === 'usage') {
      usages.push(entry.usage)
      ended = entry.finish === 'length' || entry.finish === 'content-filter' ? entry.finish : 'stop'
    } else if (entry.type === 'turn-end') {
      yield finish(entry, ended, calls, usages)
    }
  }

  /** Answers the message as it now stands at the end of what was told. */
  function* missed(wholeText: string, wholeReasoning: string): Generator<CompletionEvent, string> {
    const reasoning = rest(wholeReasoning, told.reasoning)
    if (reasoning !== '') yield { type: 'reasoning-delta', text: reasoning }
    const text = rest(wholeText, told.text)
    if (text !== '') yield spoken(apart(text))
    said ||= told.text !== '' || text !== ''
    const stands = text === '' ? told.text : wholeText
    told = { text: '', reasoning: '' }
    return stands
  }

  /** What different calls say is not one sentence. */
  function apart(text: string): string {
    return said && told.text === '' ? `\n\n${text}` : text
  }
}

/** What was missed of a message. A message that went another way than its deltas is told again as a whole. */
function rest(whole: string, told: string): string {
  if (whole.startsWith(told)) return whole.slice(told.length)
  return whole.trim() === told.trim() ? '' : `\n\n${whole}`
}

function finish(
  { turn, outcome }: Extract<Entry, { type: 'turn-end' }>,
  reason: FinishReason,
  calls: number,
  usages: readonly Usage[],
): CompletionEvent {
  if (outcome.type === 'failed') {
    // The log holds the codes of the runtime as plain text.
    throw new RuntimeError(outcome.code as RuntimeErrorCode, outcome.message, { turn })
  }
  if (outcome.type === 'cancelled') throw new RuntimeError('cancelled', 'The turn was cancelled.', { turn })
  const { promptTokensBilled, cachedTokensBilled, outputTokensBilled } = turnTotals(calls, usages)
  return {
    type: 'finish',
    reason,
    usage: {
      promptTokens: promptTokensBilled,
      cachedTokens: cachedTokensBilled,
      cacheWrittenTokens: undefined,
      outputTokens: outputTokensBilled,
      reasoningTokens: undefined,
    },
  }
}
