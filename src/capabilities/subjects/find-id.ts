import { SubjectError, type SubjectFacts } from './core.ts'

/**
 * The id that a word of a person means: an id or a title, or the beginning of either where only one begins so. A word that
 * means nothing is returned as it is.
 */
export function subjectNamed(word: string, subjects: readonly SubjectFacts[]): string {
  const wanted = folded(word)
  const found = [
    ({ id }: SubjectFacts) => id === word,
    ({ id, title }: SubjectFacts) => folded(id) === wanted || folded(title) === wanted,
    ({ id, title }: SubjectFacts) => folded(id).startsWith(wanted) || folded(title).startsWith(wanted),
  ]
    .map((isMeant) => subjects.filter(isMeant))
    .find(({ length }) => length > 0)
  const [first, ...others] = found ?? []
  if (first === undefined || others.length === 0) return first?.id ?? word
  const ids = [first, ...others].slice(0, 10).map(({ id }) => id)
  throw new SubjectError('invalid-input', `${others.length + 1} subjects are meant by ${word}: ${ids.join(', ')}.`)
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
