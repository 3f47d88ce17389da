import { exactLine } from '../../context.ts'
import { type Reply } from '../../capability.ts'
import { outcomeNotice } from '../../runtime.ts'
import type { CitationSource } from '../../session.ts'
import { type FormattedText, joinFormatted, plainText, styledText } from './text/formatted-text.ts'
import { formatMarkdown } from './text/markdown.ts'
import { isBlankMessage } from './text/message-parts.ts'

export function replyText(
  { text, outcome }: Pick<Reply, 'text' | 'outcome'>,
  sources: readonly CitationSource[],
): FormattedText {
  const said = formatMarkdown(text)
  const ending = endingText(outcome)
  const whole = joinFormatted([said, plainText(sources.map(sourceLine).join('\n')), ending], '\n\n')
  return isBlankMessage(whole.text) ? styledText('The answer is empty.', 'italic') : whole
}

export function growingText(text: string, doing: string | undefined): FormattedText {
  const note = doing === undefined ? plainText('') : styledText(`… ${doing}`, 'italic')
  return joinFormatted([formatMarkdown(text), note], '\n\n')
}

function endingText(outcome: Reply['outcome']): FormattedText {
  const notice = outcomeNotice(outcome)
  if (notice === undefined) return plainText('')
  return styledText(outcome.type === 'failed' ? `Failed: ${notice}` : notice, 'italic')
}

function sourceLine({ citation, title, url, page, headings = [] }: CitationSource): string {
  const place = page === undefined ? headings.at(-1) : `page ${page}`
  const parts = [title, place, url === title ? undefined : url].filter((part) => part !== undefined)
  return `[${citation}] ${parts.map(exactLine).join(', ')}`
}
