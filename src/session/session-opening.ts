/** Characters of a text that are looked at for a title. */
const LOOKED_AT = 8_000
/** Characters of a title. */
const LONGEST = 60

/**
 * What an exchange is about, as a title of at most 60 characters: the first heading, line or sentence of the message that says
 * something, without greeting, Markdown, quotes, code and names of files alone. Where none does, that of the answer, else the
 * beginning of the message as it is. `undefined` where there is nothing. Pure.
 */
export function openingOf(message: string, answer = ''): string | undefined {
  const line = message
    .slice(0, LOOKED_AT)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return sayingWords(message) ?? sayingWords(answer) ?? (line === '' ? undefined : shortened(line))
}

function sayingWords(text: string): string | undefined {
  for (const line of ownWords(text.slice(0, LOOKED_AT)).split('\n')) {
    const words = withoutMarks(line)
    if (words.split(' ').every(isName)) continue
    for (const sentence of words.match(SENTENCE) ?? []) {
      const said = sentence.trim().replace(GREETING, '')
      if (!saysNothing(said)) return shortened(said)
    }
  }
  return undefined
}

/** Without blocks of code, quotes and what is indented as code. A fence that is not closed goes to the end. */
function ownWords(text: string): string {
  return text
    .replaceAll(/^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))|$(?![\s\S]))/gm, '')
    .replaceAll(/^(?: {0,3}>| {4}|\t| {0,3}\|).*$/gm, '')
}

function withoutMarks(line: string): string {
  return line
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replace(/^ ?(?:#{1,6} |[-*+] (?:\[[ xX]\] )?|\d{1,3}[.)] )+/, '')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, '')
    .replaceAll(/`+|\*{1,3}|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, '')
    .trim()
}

/** A path, an address or the name of a file. */
function isName(word: string): boolean {
  return /^(?:@?[\w.~-]*[/\\][^\s]*|@?[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4}|[a-z][a-z\d+.-]*:\/\/\S+)$/i.test(word)
}

/** Up to a mark that ends it; a point behind a number, a letter or a short form ends nothing. */
const SENTENCE =
  /(?:[^.!?。！？]|[.!?](?!\s|$)|(?<=\b(?:\p{L}|\d+|e\.g|i\.e|z\.B|Dr|Mr|Mrs|Ms|vs|etc|ca|No|Nr))\.(?=\s))+[.!?。！？…]*/gu

const GREETING =
  /^(?:(?:(?:hi|hello|hey|hallo|moin|servus|bonjour|salut|hola|ciao|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend))(?: there| all| everyone| zusammen)?|dear \p{L}+)\b[\s,.!:;–—-]*)+/iu

/** No word of two letters, or only one that answers or greets. */
function saysNothing(words: string): boolean {
  return (
    !/\p{L}{2}/u.test(words) ||
    /^(?:ok(?:ay)?|yes|no|ja|nein|thanks?|thank you|danke|please|bitte|test)\W*$/iu.test(words)
  )
}

function shortened(words: string): string {
  const whole = words.replace(/(?<![.…])[.。,;:]$/u, '')
  if (whole.length <= LONGEST) return whole.toWellFormed()
  const cut = whole.slice(0, LONGEST - 1)
  const space = cut.lastIndexOf(' ')
  return `${(space > LONGEST / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–—-]+$/u, '').toWellFormed()}…`
}
