/** Characters of a text that are looked at for a title. */
const LOOKED_AT = 8_000
/** Characters of a title. */
const LONGEST = 60

/**
 * What a conversation is about, as a title of at most 60 characters: the first heading, line or sentence of its first message that
 * says something, without greeting, Markdown, quotes, code and names of files alone. Where none does, that of the `next` message;
 * for a paste or a file that of its `answer`: an answer to a greeting does not know yet what it is about. Else the beginning of the
 * message as it is. `undefined` where there is nothing. Pure.
 */
export function openingOf(
  message: string,
  { answer = '', next = '' }: { readonly answer?: string; readonly next?: string } = {},
): string | undefined {
  const said = sayingWords(message) ?? sayingWords(next)
  if (said !== undefined) return said
  const line = (message === '' ? next : message)
    .slice(0, LOOKED_AT)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const isPaste = line === '' || /\p{L}{2}/u.test(line.replace(GREETING, '').replace(SHORT_ANSWER, ''))
  return (isPaste ? sayingWords(answer) : undefined) ?? (line === '' ? undefined : shortened(line))
}

function sayingWords(text: string): string | undefined {
  let hasGreeted = false
  const own = text.slice(0, LOOKED_AT).replaceAll(FENCED, '').replaceAll(QUOTED, '')
  for (const line of own.split('\n')) {
    const words = line
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .replace(LIST_MARKS, '')
      .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
      .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, '')
      .replaceAll(EMPHASIS, '')
      .trim()
    if (NAMES.test(words)) continue
    for (const sentence of words.match(SENTENCE) ?? []) {
      const whole = sentence.trim()
      const rest = whole.replace(GREETING, '')
      // What followed a greeting begins a title now.
      hasGreeted ||= rest !== whole
      const said = hasGreeted ? rest.charAt(0).toUpperCase() + rest.slice(1) : rest
      if (/\p{L}{2}/u.test(said) && !SHORT_ANSWER.test(said)) return shortened(said)
    }
  }
  return undefined
}

/** A block of code. A fence that is not closed goes to the end. */
const FENCED = /^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))|$(?![\s\S]))/gm

/** Lines of a quote or a table, and those that are indented as code. */
const QUOTED = /^(?: {0,3}>| {4}|\t| {0,3}\|).*$/gm

const LIST_MARKS = /^ ?(?:#{1,6} |[-*+] (?:\[[ xX]\] )?|\d{1,3}[.)] )+/
const EMPHASIS = /`+|\*{1,3}|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu

/** Paths, addresses and names of files, and nothing beside them. */
const NAMES = /^(?:(?:@?[\w.~-]*[/\\]\S*|@?[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4}|[a-z][a-z\d+.-]*:\/\/\S+)(?: |$))+$/i

/** Up to a mark that ends it; a point behind a number, a letter or a short form ends nothing. */
const SENTENCE =
  /(?:[^.!?。！？]|[.!?](?!\s|$)|(?<=\b(?:\p{L}|\d+|e\.g|i\.e|z\.B|Dr|Mr|Mrs|Ms|vs|etc|ca|No|Nr))\.(?=\s))+[.!?。！？…]*/gu

/** Words of a greeting with a mark behind it and perhaps a name before that, or alone. */
const GREETING =
  /^(?:(?:hi|hello|hey|hallo|moin|servus|bonjour|salut|hola|ciao|dear|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend))(?: \p{L}+)?(?:[,.!:;…]+| [–—-])(?:\s+|$)|(?:hi|hello|hey|hallo|moin|servus|bonjour|salut|hola|ciao)(?: there| all| everyone| zusammen)?$)+/iu

const SHORT_ANSWER = /^(?:ok(?:ay)?|yes|no|ja|nein|thanks?|thank you|danke|please|bitte|test)\W*$/iu

function shortened(words: string): string {
  const whole = words.replace(/(?<![.…])[.。,;:]$/u, '')
  if (whole.length <= LONGEST) return whole.toWellFormed()
  const cut = whole.slice(0, LONGEST - 1)
  const space = cut.lastIndexOf(' ')
  return `${(space > LONGEST / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–—-]+$/u, '').toWellFormed()}…`
}
