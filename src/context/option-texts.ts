/**
 * What providers are sent beside a part: the signature of a reasoning, content that only they can read. What is meant for
 * Foreword itself (`foreword`) is not sent.
 */
export function optionTexts(options: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  if (options === undefined) return []
  return Object.entries(options).flatMap(([provider, value]) => (provider === 'foreword' ? [] : textsIn(value)))
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
