import { HttpFailure } from '../../../server.ts'

/** The choice in a header. Throws for an unknown word, so that no choice is silently ignored. */
export function headerChoice<Word extends string>(
  request: Request,
  header: string,
  words: readonly Word[],
): Word | undefined {
  const given = request.headers.get(header)
  if (given === null) return undefined
  const word = words.find((each) => each === given.trim().toLowerCase())
  if (word !== undefined) return word
  throw new HttpFailure('invalid-input', `Invalid request: the header ${header} must be ${words.join(' or ')}.`)
}

/** The model that a body names. `undefined` for `foreword` and `default`, which mean the configured model. */
export function requestedModel(model: string | undefined): string | undefined {
  return model === undefined || model === '' || model === 'foreword' || model === 'default' ? undefined : model
}
