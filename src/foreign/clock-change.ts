const months = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*'
const days = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?'
const date = String.raw`${days}(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|${months} \d{1,2},? \d{4}|\d{1,2} ${months} \d{4}|${months} \d{1,2}\b)`
const time = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[A-Z]{3,4}|[+-]\d{2}:?\d{2}))?`
const moment = new RegExp(`${date}(?:,? (?:at )?|T)${time}|${date}|${time}`, 'g')

/** The most characters in which moments are looked for. */
const LONGEST = 200_000

/** Finds whether two texts differ in nothing but moments. */
export function clockChange(
  before: string,
  after: string,
): { readonly what: 'the date' | 'the time'; readonly before: string; readonly now: string } | undefined {
  if (before === after || before.length > LONGEST || after.length > LONGEST) return undefined
  if (before.replaceAll(moment, '…') !== after.replaceAll(moment, '…')) return undefined
  const [old, now] = [momentsOf(before), momentsOf(after)]
  const at = now.findIndex((each, index) => each !== old[index])
  if (at < 0) return undefined
  const day = new RegExp(date).exec(now[at]!)?.[0]
  const isDate = day !== undefined && day !== new RegExp(date).exec(old[at]!)?.[0]
  return { what: isDate ? 'the date' : 'the time', before: old[at]!, now: now[at]! }
}

function momentsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(moment), ([found]) => found)
}
