import type { Secrets } from './server-address.ts'

/** Shorter values stand in too many texts by chance. */
const SHORTEST_SECRET = 6

/** A text without the values that a server was given: each is replaced by the name of its variable in brackets. */
export function redaction(secrets: Secrets): (text: string) => string {
  const forms = Object.entries(secrets)
    .filter(([, value]) => value.length >= SHORTEST_SECRET)
    .flatMap(([variable, value]) => formsOf(value).map((form) => [form, `[${variable}]`] as const))
    .toSorted(([left], [right]) => right.length - left.length)
  return (text) => forms.reduce((clean, [form, name]) => clean.replaceAll(form, name), text)
}

/** As it is, in JSON, in a URL, and without a word such as `Bearer` before it. */
function formsOf(value: string): readonly string[] {
  const bare = value.slice(value.lastIndexOf(' ') + 1)
  const spoken = bare.length >= SHORTEST_SECRET ? [value, bare] : [value]
  return [...new Set(spoken.flatMap((form) => [form, JSON.stringify(form).slice(1, -1), encodeURIComponent(form)]))]
}
