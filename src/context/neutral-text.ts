import { phrase } from './phrase.ts'

/** What was written out in a text, by kind, each at least 1. None: nothing was. */
export type NeutralizedSigns = Readonly<Partial<Record<'control' | 'format' | 'template' | 'markdown', number>>>

/** A text without signs that work on their own, and what was written out in it. */
export interface NeutralText {
  readonly text: string
  readonly found: NeutralizedSigns
}

/**
 * A text of others for a place without a frame: a definition of a tool, or instructions of a skill. Controls, characters that
 * turn the reading direction or leave no mark, tags and halves of surrogate pairs are written as `[U+202E]`; tokens of chat
 * templates get other brackets, such as `⟨|im_start|⟩`. Both can be read, and do nothing. Line breaks and tabs stay, `\r\n` is
 * `\n`, and so do joiners inside emoji and in scripts that are written with them. Pure, and the same when repeated.
 */
export function neutralText(text: string): NeutralText {
  const found: Record<string, number> = {}
  const count = (kind: string, replacement: string): string => {
    found[kind] = (found[kind] ?? 0) + 1
    return replacement
  }
  let plain = text.replaceAll('\r\n', '\n')
  if (UNSEEN.test(plain)) {
    plain = plain.replaceAll(RUN, (run: string) => {
      const characters = Array.from(run)
      for (const character of characters) count(kindOf(character), '')
      return `[${characters.length} characters that cannot be seen]`
    })
    plain = plain.replaceAll(ALL_UNSEEN, (character: string, at: number, whole: string) =>
      isOfItsScript(character, at, whole) ? character : count(kindOf(character), codePoint(character)),
    )
  }
  return { text: withoutTokens(plain, () => count('template', '')), found }
}

/** A text in which tokens of chat templates do not work. `onToken` is called for each. */
export function withoutTokens(text: string, onToken?: () => void): string {
  return TEMPLATES.reduce(
    (left, [pattern, written]) =>
      left.replaceAll(pattern, (token: string) => {
        onToken?.()
        return written(token)
      }),
    text,
  )
}

/** The same on one line, for a place where a line is one entry: nothing at its beginning is a heading, a rule or a fence. */
export function neutralLine(text: string): NeutralText {
  const flat = /[\n\r\u0085\u2028\u2029\v\f]/.test(text) ? text.replaceAll(/[\s\u0085]+/g, ' ').trim() : text
  const { text: line, found } = neutralText(flat)
  const isStructure = BLOCK.test(line)
  const structure = Number(isStructure) + (text.trim().match(LATER_BLOCK)?.length ?? 0)
  return {
    text: isStructure ? line.replace(/\S/, String.raw`\$&`) : line,
    found: structure > 0 ? { ...found, markdown: structure } : found,
  }
}

const block = String.raw`[ \t]*(?:#|>|={2,}|-{2,}|~{3,}|\u0060{3,}|_{3,}|\*{3,}|[-*+][ \t])`
const BLOCK = new RegExp(`^${block}`)
/** Such a beginning in a later line, which is no line any more. */
const LATER_BLOCK = new RegExp(`[\\n\\r\\u2028\\u2029]${block}`, 'g')

/** What was written out in several texts together. */
export function addNeutralized(all: readonly NeutralizedSigns[]): NeutralizedSigns {
  const sum: Record<string, number> = {}
  for (const [kind, number] of all.flatMap((each) => Object.entries(each))) sum[kind] = (sum[kind] ?? 0) + number
  return sum
}

/** What was written out, in words: `2 control characters and 1 token of a chat template`; empty where nothing was. */
export function neutralizedWords(found: NeutralizedSigns): string {
  const parts = kinds.flatMap(([kind, one, many]) => {
    const number = found[kind] ?? 0
    return number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]
  })
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${phrase`and`} ${parts.at(-1)}`
}

const kinds = [
  ['control', phrase`control character`, phrase`control characters`],
  ['format', phrase`format character`, phrase`format characters`],
  ['template', phrase`token of a chat template`, phrase`tokens of chat templates`],
  ['markdown', phrase`beginning of a block`, phrase`beginnings of blocks`],
] as const

// Controls but line break and tab, formats but the signs that stand before Arabic and Syriac numbers, halves of surrogate
// pairs, separators of lines, fillers, and selectors of variations.
const unseen =
  String.raw`(?![\n\t\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])` +
  String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`
const UNSEEN = new RegExp(unseen, 'u')
const ALL_UNSEEN = new RegExp(unseen, 'gu')
/** So many in a row are a text of their own, which needs no place. */
const RUN = new RegExp(`(?:${unseen}){4,}`, 'gu')

/** Joiners inside emoji and in scripts that are written with them, and the selector of an emoji's look. */
function isOfItsScript(character: string, at: number, whole: string): boolean {
  const before = whole.slice(Math.max(0, at - 8), at)
  const after = whole.slice(at + 1, at + 3)
  if (character === '\uFE0F' || character === '\uFE0E') return /\p{Emoji}$/u.test(before)
  if (character === '\u200D' && /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$/u.test(before)) {
    return /^\p{Extended_Pictographic}/u.test(after)
  }
  if (character !== '\u200D' && character !== '\u200C') return false
  return JOINED_END.test(before) && JOINED_BEGIN.test(after)
}

const joined = String.raw`(?=[\p{L}\p{M}])(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}]`
const JOINED_END = new RegExp(`${joined}$`, 'u')
const JOINED_BEGIN = new RegExp(`^${joined}`, 'u')

function kindOf(character: string): 'control' | 'format' {
  return /\p{Cc}/u.test(character) ? 'control' : 'format'
}

function codePoint(character: string): string {
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`
}

const NAMES =
  's|bos|eos|pad|unk|mask|sop|eop|eot|think|thinking|tool_calls?|tool_response|tool_result|function_calls?|start_of_turn|' +
  String.raw`end_of_turn|start_of_image|end_of_image|image_soft_token|bos_token|eos_token|im_start|im_end|extra_id_\d+|` +
  String.raw`reserved_\d+|unused\d+|(?:fim_)?(?:prefix|suffix|middle)`

/** Tokens with which chat templates separate roles and texts: as models of today have them, and as NFKC would make them. */
const TEMPLATES: readonly (readonly [RegExp, (token: string) => string])[] = [
  [/[<＜﹤][|｜][^\n<>＜＞﹤﹥]{1,80}?[|｜][>＞﹥]/gu, (token) => `⟨${token.slice(1, -1)}⟩`],
  [/[<＜﹤]{2}\/?SYS[>＞﹥]{2}/giu, (token) => `⟪${token.slice(2, -2)}⟫`],
  [new RegExp(`[<＜﹤]/?(?:${NAMES})[>＞﹥]`, 'giu'), (token) => `⟨${token.slice(1, -1)}⟩`],
  [
    /[[［]\/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID|THINK|CLS|SEP|MASK|gMASK|sMASK|BOS|EOS|PAD|UNK|IMG|IMG_END|IMG_BREAK)[\]］]/gu,
    (token) => `⟦${token.slice(1, -1)}⟧`,
  ],
  [/\n[ \t]*(?:Human|Assistant|System|User):/gu, (token) => `${token.slice(0, -1)} :`],
  [/\n[ \t]*### ?(?:Instruction|Response|Input|Human|Assistant|System|User):/giu, (token) => `${token.slice(0, -1)} :`],
]
