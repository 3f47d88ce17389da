import type { SearchHit } from '../../../search.ts'
import { exactLine } from '../../../cli.ts'

/** Where a passage stands: its page, or its line, and the headings above it. */
export function passagePlace({ page, line, headings }: SearchHit['chunk']): string {
  const place = page === undefined ? `line ${line}` : `page ${page}`
  return [place, ...(headings.length === 0 ? [] : [headings.map(exactLine).join(' › ')])].join(', ')
}
