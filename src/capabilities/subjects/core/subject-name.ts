/** Whether a text can be the name of a subject's folder: `[A-Za-z0-9_.-]+` without `..` (BEHAVIOURS §4). */
export function isSubjectId(text: string): boolean {
  return isName(text)
}

/** Whether a text can name a taste, without `.md`: the same letters as an id. */
export function isTasteName(text: string): boolean {
  return isName(text)
}

export const defaultTaste = '_default'

/** In words, for errors. */
export const nameRule = `letters, digits, "_", "-" and ".", without "..", at most 200 of them`

/** An id that somebody gave, for errors: in quotes, and no longer than a line. */
export function quotedId(id: string): string {
  return JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id)
}

/** Room is left for endings, as a file name has at most 255 bytes. */
const LONGEST = 200

function isName(text: string): boolean {
  return text.length <= LONGEST && /^[A-Za-z0-9_.-]+$/.test(text) && text !== '.' && !text.includes('..')
}
