import type { JsonLines } from './json-lines.ts'
import { isTasteName, nameRule } from './subject-name.ts'
import { beginningOf } from './text-cap.ts'

/** Of a list, such as `record of the log`, that so many entries are not shown. */
export function leftOutOf(what: string, count: number, why: string): readonly string[] {
  if (count === 0) return []
  const [first = '', ...rest] = what.split(' ')
  const many = count === 1 ? what : [`${first}s`, ...rest].join(' ')
  return [`${count} more ${many} ${count === 1 ? 'is' : 'are'} not shown: ${why}.`]
}

/** Of declared tastes that are none. */
export function noNames(tastes: readonly string[]): readonly string[] {
  const [name, ...more] = [...new Set(tastes)].filter((taste) => !isTasteName(taste))
  if (name === undefined) return []
  const shown = JSON.stringify(name.length > 100 ? `${beginningOf(name, 100)}…` : name)
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  return [`brief.md declares the taste ${shown}${others}, which is no name of one. It has ${nameRule}.`]
}

/** Of lines that were skipped. */
export function brokenLines(file: string, { broken }: JsonLines): readonly string[] {
  if (broken === 0) return []
  const skipped = broken === 1 ? '1 line is no JSON object and was' : `${broken} lines are no JSON objects and were`
  return [`${file}: ${skipped} skipped.`]
}
