import { elementsOf, fieldsOf, parseJson } from '../platform.ts'

/** How deep the sentence of a provider is looked for: those that pass a refusal on wrap it, also as JSON in a text. */
const DEEPEST = 6

/** Fields that hold a sentence, or hold what does, the most exact first. */
const SENTENCE_FIELDS = [
  'raw',
  'metadata',
  'message',
  'msg',
  'error_message',
  'error_msg',
  'errorMessage',
  'error',
  'detail',
  'details',
  'errors',
  'description',
  'reason',
  'title',
]

/**
 * The sentence in which a provider says why it refused, wherever it puts it: `error.message`, `detail`, the first of a list,
 * or the answer of the provider behind it (`metadata.raw`). `undefined`: there is none.
 */
export function providerSentence(body: unknown, depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined
  if (typeof body === 'string') {
    const text = body.trim()
    const inner = /^[[{]/.test(text) ? providerSentence(parseJson(text), depth + 1) : undefined
    return inner ?? (text === '' ? undefined : text)
  }
  if (typeof body !== 'object' || body === null) return undefined
  const fields = fieldsOf(body)
  for (const each of Array.isArray(body) ? elementsOf(body) : SENTENCE_FIELDS.map((name) => fields[name])) {
    const found = providerSentence(each, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
