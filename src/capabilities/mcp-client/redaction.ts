import type { Secrets } from './server-address.ts'

/** Shorter values stand in too many texts by chance. */
const SHORTEST_SECRET = 6

/** Of a secret that was cut, so few characters tell nothing of it. */
const SHORTEST_REST = 4

/** A secret as it may be written, and what is put in its place; the longest first. */
type Forms = readonly (readonly [form: string, name: string])[]

/** A text without the values that a server was given: each is replaced by the name of its variable in brackets. */
export function redaction(secrets: Secrets): (text: string) => string {
  const forms = Object.entries(secrets)
    .filter(([, value]) => value.length >= SHORTEST_SECRET)
    .flatMap(([variable, value]) => formsOf(value).map((form) => [form, `[${variable}]`] as const))
    .toSorted(([left], [right]) => right.length - left.length)
  return (text) =>
    withoutRests(
      forms.reduce((clean, [form, name]) => clean.replaceAll(form, name), text),
      forms,
    )
}

/** What is told in a sentence or two was cut before it came here. */
const LONGEST_TOLD = 10_000
const CUT = ' …'

/** A cut may have gone through a secret: then the rest of it stands right before the mark of the cut. */
function withoutRests(text: string, forms: Forms): string {
  if (text.length > LONGEST_TOLD) return text
  const pieces = text.split(CUT)
  return pieces.map((piece, index) => (index < pieces.length - 1 ? withoutRest(piece, forms) : piece)).join(CUT)
}

function withoutRest(piece: string, forms: Forms): string {
  for (const [form, name] of forms) {
    for (let length = form.length - 1; length >= SHORTEST_REST; length -= 1) {
      if (piece.endsWith(form.slice(0, length))) return piece.slice(0, -length) + name
    }
  }
  return piece
}

/** As it is, in JSON, in a URL, and without a word such as `Bearer` before it. */
function formsOf(value: string): readonly string[] {
  const bare = value.slice(value.lastIndexOf(' ') + 1)
  const spoken = bare.length >= SHORTEST_SECRET ? [value, bare] : [value]
  return [...new Set(spoken.flatMap((form) => [form, JSON.stringify(form).slice(1, -1), encodeURIComponent(form)]))]
}
