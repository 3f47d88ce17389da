import type { ForeignFormat, ForeignRequestHead } from './foreign-call.ts'

const endings: readonly (readonly [RegExp, ForeignFormat])[] = [
  [/\/messages(?:\/count_tokens)?\/?$/, 'messages'],
  [/\/responses(?:\/compact|\/input_tokens)?\/?$/, 'responses'],
  [/\/chat\/completions\/?$/, 'chat-completions'],
  [/\/embeddings\/?$/, 'embeddings'],
]

/** The format of a request by the end of its path, whatever is before it. `undefined`: it is of no known format. */
export function callFormat({ method, path }: ForeignRequestHead): ForeignFormat | undefined {
  if (method.toUpperCase() !== 'POST') return undefined
  const plain = withoutQuery(path)
  return endings.find(([ending]) => ending.test(plain))?.[1]
}

/** Whether a request asks for a number of tokens alone. */
export function isCount({ path }: ForeignRequestHead): boolean {
  return /\/(?:count_tokens|input_tokens)\/?$/.test(withoutQuery(path))
}

function withoutQuery(path: string): string {
  return path.split(/[?#]/, 1)[0]!
}
