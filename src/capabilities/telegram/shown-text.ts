import { type FormattedText, plainText } from './text/formatted-text.ts'

/** At most `most` characters of a text; what was cut ends with `…`. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}

/** Words that look like one thing, such as `italic` or `pre`. */
export function styled(text: string, type: 'bold' | 'italic' | 'pre' | 'code'): FormattedText {
  const plain = plainText(text)
  return plain.text === '' ? plain : { ...plain, entities: [{ type, offset: 0, length: plain.text.length }] }
}

/** Texts one behind the other; those that are empty are left out. */
export function joined(texts: readonly FormattedText[], between: string): FormattedText {
  let text = ''
  const entities: FormattedText['entities'][number][] = []
  for (const part of texts) {
    if (part.text === '') continue
    if (text !== '') text += between
    const start = text.length
    entities.push(...part.entities.map((entity) => ({ ...entity, offset: entity.offset + start })))
    text += part.text
  }
  return { text, entities }
}
