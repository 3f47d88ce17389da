import { exactLine } from '../../context.ts'
import { type Reply } from '../../capability.ts'
import { outcomeNotice } from '../../runtime.ts'
import type { Source } from '../../session.ts'
import { joined, styled } from './shown-text.ts'
import type { FormattedText } from './text/formatted-text.ts'
import { plainText } from './text/formatted-text.ts'
import { isBlank } from './text/message-parts.ts'
import { formatted } from './text/formatted.ts'

/** A reply as it stands in the end: what was said, what it is based on, and how it ended where that is not well. */
export function replyText(
  { text, outcome }: Pick<Reply, 'text' | 'outcome'>,
  sources: readonly Source[],
): FormattedText {
  const said = formatted(text)
  const ending = endingOf(outcome)
  const whole = joined([said, plainText(sources.map(sourceLine).join('\n')), ending], '\n\n')
  return isBlank(whole.text) ? styled('The answer is empty.', 'italic') : whole
}

/** A reply while it grows: the words so far, and what is done meanwhile. */
export function growingText(text: string, doing: string | undefined): FormattedText {
  const note = doing === undefined ? plainText('') : styled(`… ${doing}`, 'italic')
  return joined([formatted(text), note], '\n\n')
}

function endingOf(outcome: Reply['outcome']): FormattedText {
  const notice = outcomeNotice(outcome)
  if (notice === undefined) return plainText('')
  return styled(outcome.type === 'failed' ? `This failed: ${notice}` : notice, 'italic')
}

function sourceLine({ citation, title, url, page, headings = [] }: Source): string {
  const place = page === undefined ? headings.at(-1) : `page ${page}`
  const parts = [title, place, url === title ? undefined : url].filter((part) => part !== undefined)
  return `[${citation}] ${parts.map(exactLine).join(', ')}`
}
