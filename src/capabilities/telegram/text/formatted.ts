import { lexer } from 'marked'
import { entitiesOf } from './entities-of.ts'
import { type FormattedText, plainText } from './formatted-text.ts'
import { textSlice } from './text-slice.ts'
import { textWriter } from './text-writer.ts'
import { writeBlocks } from './write-blocks.ts'

/**
 * Markdown, as models write it, as Telegram takes it: whatever Telegram can show is formatted, the rest stands as text.
 * Nothing that was said is lost, and nothing that can be written makes it throw; a stream that stopped in the midst of a
 * fence is a block of code, one that stopped in the midst of bold words shows its asterisks.
 */
export function formatted(markdown: string): FormattedText {
  const source = markdown.toWellFormed()
  try {
    const writer = textWriter()
    writeBlocks(lexer(source), writer)
    const { text, marks } = writer
    return textSlice({ text, entities: entitiesOf(text, marks) })
  } catch (error) {
    // Thousands of quotes within each other need more stack than there is.
    if (error instanceof RangeError) return textSlice(plainText(source))
    throw error
  }
}
