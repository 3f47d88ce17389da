import type { Token, Tokens } from 'marked'
import { lex } from './lex.ts'
import { t } from '../language/language.ts'

/** What stands between `<details>` and `</details>`: the one pair of tags of HTML that is drawn, since it only folds. */
export interface DetailsToken extends Tokens.Generic {
  readonly type: 'details'
  readonly summary: string
  readonly tokens: Token[]
}

const BEGIN = /^\s*<details(?:\s+open)?>\s*(?:<summary>([^<]*)<\/summary>)?/i
const END = /<\/details>/i

/** How many of one text are folded: what a model writes beyond that stays as it is written. */
const MOST = 100

/** The blocks of a text, each `<details>` with what is in it as one. One without an end, as while it arrives, has all that follows. */
export function foldDetails(tokens: readonly Token[], left = MOST): readonly Token[] {
  if (left === 0) return tokens
  const at = tokens.findIndex(({ type, raw }) => type === 'html' && BEGIN.test(raw))
  if (at === -1) return tokens
  const { raw } = tokens[at]!
  const [begin, summary = ''] = BEGIN.exec(raw)!
  const [head = '', ...behind] = raw.slice(begin.length).split(END)
  const inHead = head.trim() === '' ? [] : lex(head)
  const titled = summary.trim() === '' ? t`Details` : summary.trim()
  if (behind.length > 0) {
    const rest = behind.join('</details>')
    const after = rest.trim() === '' ? [] : lex(rest)
    return [
      ...tokens.slice(0, at),
      details(titled, raw, inHead),
      ...foldDetails([...after, ...tokens.slice(at + 1)], left - 1),
    ]
  }
  const end = endAfter(tokens, at)
  const inside = tokens.slice(at + 1, end)
  const whole = [raw, ...inside.map((token) => token.raw)].join('')
  const after = foldDetails(tokens.slice(end + 1), left - 1)
  return [...tokens.slice(0, at), details(titled, whole, [...inHead, ...inside]), ...after]
}

function details(summary: string, raw: string, tokens: readonly Token[]): DetailsToken {
  return { type: 'details', raw, summary, tokens: [...tokens] }
}

/** The position of the tag that ends what begins at `at`; behind the last where none does. */
function endAfter(tokens: readonly Token[], at: number): number {
  let open = 1
  for (let index = at + 1; index < tokens.length; index += 1) {
    const { type, raw } = tokens[index]!
    if (type !== 'html') continue
    open += (raw.match(/<details/gi)?.length ?? 0) - (raw.match(/<\/details>/gi)?.length ?? 0)
    if (open <= 0) return index
  }
  return tokens.length
}
