import { type AnswerDraft, errorFacts } from './answer-draft.ts'
import type { FormatReader } from './format-reader.ts'
import { type JsonFields, opened, otherPart, textPart, type WirePart } from './part.ts'

/** The texts of a request for embeddings in OpenAI's format. Texts that come as numbers of tokens are kept as they are. */
function* partsOf(body: JsonFields): Generator<WirePart> {
  const { input } = body
  if (input === undefined || input === null) return
  const isList = Array.isArray(input) && !input.every((value) => typeof value === 'number')
  for (const value of isList ? input : [input]) {
    const part = typeof value === 'string' ? textPart('user', value) : otherPart('user', value)
    yield* opened([part], 'user')
  }
}

/** Reads what an answer reports. Its vectors are not kept: they can be made again. */
function readAnswer(draft: AnswerDraft, answer: JsonFields): void {
  const error = errorFacts(answer['error'])
  if (error) draft.fail(error.code, error.message)
  draft.set({ model: answer['model'] })
  // An answer of vectors has no tokens.
  draft.report({ usage: { completion_tokens: 0 } })
}

/** OpenAI's format for embeddings. */
export const embeddings: FormatReader = {
  fields: ['input'],
  parts: partsOf,
  event: readAnswer,
  answer: readAnswer,
}
