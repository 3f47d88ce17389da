import { nearestName } from '../../platform.ts'

/** What is told of a name, or of a pattern, that stands for no tool there is. */
export function unknownText(word: string, names: readonly string[]): string {
  if (!word.endsWith('*')) {
    const near = nearestName(word, names)
    return `there is no tool ${word}; ${near === undefined ? 'the rule applies once there is one' : `did you mean ${near}?`}`
  }
  const start = word.slice(0, -1)
  const near = nearestName(start, [...new Set(names.map((name) => name.slice(0, start.length)))])
  if (near === undefined) return `there is no tool whose name begins with ${start}; the rule applies once there is one`
  const found = names.filter((name) => name.startsWith(near))
  const more = found.length > MOST ? ' …' : ''
  return `there is no tool whose name begins with ${start}; did you mean ${near}*? That is ${found.slice(0, MOST).join(', ')}${more}`
}

/** More names are not read. */
const MOST = 5
