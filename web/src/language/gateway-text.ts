/** The sentences of the gateway that a language has, by those of English: `{0} tokens were sent again for it`. */
export type GatewayCatalogue = Readonly<Record<string, string>>

interface Template {
  readonly english: RegExp
  readonly endsSentence: boolean
  readonly translation: string
}

/** A text in the language of the page, as far as that has it. `left`: so many characters of it are as the gateway wrote them. */
interface Words {
  readonly text: string
  readonly left: number
}

/**
 * Gives sentences of the gateway in another language. The gateway sends each in English, as programs and the terminal have it; one
 * that comes of a template, at any depth of its values, is found by its words. Anything else stays as it is. `titleOf`: a title
 * of the page in that language.
 */
export function gatewayTranslator(
  catalogue: GatewayCatalogue,
  titleOf: (english: string) => string | undefined,
  numberOf: (number: number) => string,
): (text: string) => string {
  // The template with the most words of its own comes first: a shorter one may be a part of it.
  const templates = Object.entries(catalogue)
    .filter(([english]) => english.includes('{'))
    .toSorted(([one], [other]) => ownLength(other) - ownLength(one))
    .map(([english, translation]): Template => ({
      english: patternOf(english),
      endsSentence: english.endsWith('.'),
      translation,
    }))

  const exact = (text: string): string | undefined => {
    const other = catalogue[withFirst(text, 'lower')] ?? catalogue[withFirst(text, 'upper')]
    return catalogue[text] ?? titleOf(text) ?? (other && inCase(other, text)) ?? titleOf(withFirst(text, 'upper'))
  }

  /** By the template of which the most is known. */
  const byTemplate = (text: string): Words => {
    const [phrase, end] = text.endsWith('.') ? [text.slice(0, -1), '.'] : [text, '']
    let best = whole(text)
    for (const { english, endsSentence, translation } of templates) {
      const values = english.exec(endsSentence ? text : phrase)?.slice(1)
      if (values === undefined) continue
      const words = values.map(wordsOf)
      const left = sumOf(words)
      if (left >= best.left) continue
      const filled = translation.replaceAll(/\{(\d)\}/g, (_, index: string) => words[Number(index)]!.text)
      best = { text: `${inCase(filled, text)}${endsSentence ? '' : end}`, left }
      if (left === 0) break
    }
    return best
  }

  const inParts = (text: string): Words => {
    let best = whole(text)
    for (const { split, join } of SEPARATORS) {
      const parts = text.split(split)
      if (parts.length === 1) continue
      const words = parts.map(wordsOf)
      const left = sumOf(words)
      if (left < best.left) best = { text: words.map((word) => word.text).join(join(exact)), left }
      if (left === 0) break
    }
    if (best.left < text.length) return best
    // A title and the name behind it.
    const [, title = '', name = ''] = /^(.+?)( \S+)$/s.exec(text) ?? []
    const known = exact(title)
    return known === undefined ? whole(text) : { text: `${known}${name}`, left: 0 }
  }

  const wordsOf = (text: string): Words => {
    if (THOUSANDS.test(text)) return { text: numberOf(Number(text.replaceAll(',', ''))), left: 0 }
    if (text.length > MOST || QUOTED.test(text) || !/\p{L}/u.test(text)) return { text, left: 0 }
    const found = exact(text) ?? (text.endsWith('.') ? ended(exact(text.slice(0, -1))) : undefined)
    // What has no blanks and is not known is the name of something.
    if (found !== undefined || !/\s/.test(text)) return { text: found ?? text, left: 0 }
    const [, number = '', noun = ''] = /^(\d[\d,]*) (.+)$/s.exec(text) ?? []
    const counted = exact(noun)
    if (counted !== undefined) return { text: `${wordsOf(number).text} ${counted}`, left: 0 }
    const filled = byTemplate(text)
    if (filled.left === 0) return filled
    const parted = inParts(text)
    return parted.left <= filled.left ? parted : filled
  }
  return (text) => wordsOf(text).text
}

/** No sentence of the gateway is longer. */
const MOST = 2_000

/** What is between parts that are texts of their own, the widest first. */
const SEPARATORS: readonly { readonly split: RegExp; join(exact: (text: string) => string | undefined): string }[] = [
  { split: /\n/, join: () => '\n' },
  { split: /(?<=[.!?]) /, join: () => ' ' },
  { split: /; /, join: () => '; ' },
  // What is behind the first colon may be one phrase.
  { split: /(?<!: .*): /s, join: () => ': ' },
  { split: / (?=\()/, join: () => ' ' },
  { split: /, /, join: () => ', ' },
  { split: / and /, join: (exact) => ` ${exact('and') ?? 'and'} ` },
  { split: /(?<=^\()|(?=\)$)/, join: () => '' },
]

const THOUSANDS = /^\d{1,3}(?:,\d{3})+$/

/** What a person or a program wrote, or the path of a file. */
const QUOTED = /^(?:“[^”]*”|`[^`]*`|"[^"]*"|\/\S*)$/

function patternOf(english: string): RegExp {
  const parts = english.split(/\{\d\}/).map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  const [first = '', ...others] = parts
  const letter = first.charAt(0)
  const either = /\p{L}/u.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]${first.slice(1)}` : first
  return new RegExp(`^${[either, ...others].join('(.*?)')}$`, 's')
}

function ownLength(english: string): number {
  return english.replaceAll(/\{\d\}/g, '').length
}

function sumOf(words: readonly Words[]): number {
  return words.reduce((sum, { left }) => sum + left, 0)
}

function whole(text: string): Words {
  return { text, left: text.length }
}

function ended(phrase: string | undefined): string | undefined {
  return phrase && `${phrase}.`
}

function withFirst(text: string, letter: 'upper' | 'lower'): string {
  const first = text.charAt(0)
  return `${letter === 'upper' ? first.toUpperCase() : first.toLowerCase()}${text.slice(1)}`
}

/** With a capital where the English text has one. Nouns have theirs in any case. */
function inCase(text: string, english: string): string {
  return /^\p{Lu}/u.test(english) ? withFirst(text, 'upper') : text
}
