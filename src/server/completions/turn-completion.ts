import { messageReasoning, messageText } from '../../context.ts'
import { type CompletionEvent, type Runtime, RuntimeError, type RuntimeErrorCode } from '../../capability.ts'
import { sumUsage } from '../../runtime.ts'
import { type Entry, type Usage } from '../../session.ts'
import { type FinishReason } from '../../model.ts'
import { type AnswerCitation, answerCitations } from '../../citation.ts'

/** An event of an answer. In a session, the citations of each complete message follow it. */
export type AnswerEvent =
  | CompletionEvent
  | { readonly type: 'citations'; readonly citations: readonly AnswerCitation[] }

/** A turn as one completion: the text of all its calls, and the sum of their usage. Throws a `RuntimeError` where it failed. */
export async function* turnCompletion(
  runtime: Runtime,
  session: string,
  turn: string,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const usages: Usage[] = []
  let said = false
  let ended: FinishReason = 'stop'
  let sent = { text: '', reasoning: '' }
  let length = 0
  for await (const event of runtime.events(session, { turn, signal })) {
    if (event.type === 'interrupted') throw new RuntimeError(event.code, event.message, { turn })
    if (event.type === 'entry') {
      yield* entryEvents(event.entry)
      if (event.entry.type === 'turn-end') return
    } else if (event.type === 'text-delta') {
      yield textDelta(separated(event.text))
      sent.text += event.text
    } else if (event.type === 'reasoning-delta') {
      yield { type: 'reasoning-delta', text: event.text }
      sent.reasoning += event.text
    }
  }

  function textDelta(text: string): CompletionEvent {
    length += text.length
    return { type: 'text-delta', text }
  }

  function* entryEvents(entry: Entry): Generator<AnswerEvent> {
    if (entry.type === 'assembly') {
      sent = { text: '', reasoning: '' }
      yield { type: 'call-start', call: entry.call, model: entry.model ?? '' }
    } else if (entry.type === 'message') {
      const text = yield* missingText(messageText(entry.message), messageReasoning(entry.message))
      const citations = answerCitations(text, entry.citations ?? [], length - text.length)
      if (citations.length > 0) yield { type: 'citations', citations }
    } else if (entry.type === 'usage') {
      usages.push(entry.usage)
      ended = entry.finish === 'length' || entry.finish === 'content-filter' ? entry.finish : 'stop'
    } else if (entry.type === 'turn-end') {
      yield finish(entry, ended, usages)
    }
  }

  /** Sends the rest of a message. Returns the message in the form in which it was sent. */
  function* missingText(wholeText: string, wholeReasoning: string): Generator<CompletionEvent, string> {
    const reasoning = unsentPart(wholeReasoning, sent.reasoning)
    if (reasoning !== '') yield { type: 'reasoning-delta', text: reasoning }
    const text = unsentPart(wholeText, sent.text)
    if (text !== '') yield textDelta(separated(text))
    said ||= sent.text !== '' || text !== ''
    const whole = text === '' ? sent.text : wholeText
    sent = { text: '', reasoning: '' }
    return whole
  }

  /** Separates the texts of different calls by a blank line. */
  function separated(text: string): string {
    return said && sent.text === '' ? `\n\n${text}` : text
  }
}

/** The part of a message that was not sent. A message that differs from its deltas is sent again as a whole. */
function unsentPart(whole: string, sent: string): string {
  if (whole.startsWith(sent)) return whole.slice(sent.length)
  return whole.trim() === sent.trim() ? '' : `\n\n${whole}`
}

function finish(
  { turn, outcome }: Extract<Entry, { type: 'turn-end' }>,
  reason: FinishReason,
  usages: readonly Usage[],
): CompletionEvent {
  if (outcome.type === 'failed') {
    // The log has the codes of the runtime as plain text.
    throw new RuntimeError(outcome.code as RuntimeErrorCode, outcome.message, { turn })
  }
  if (outcome.type === 'cancelled') throw new RuntimeError('cancelled', 'The turn was cancelled.', { turn })
  return { type: 'finish', reason, usage: sumUsage(usages) }
}
