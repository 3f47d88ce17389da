import type { TokenizerExtensionFunction, Tokens, TokenizerStartFunction } from 'marked'

/** A formula in TeX. `display`: on a line of its own. */
export interface MathToken extends Tokens.Generic {
  readonly type: 'math'
  readonly tex: string
  readonly display: boolean
}

/** What is read as a formula, and where the next one may begin. */
interface MathSyntax {
  readonly start: TokenizerStartFunction
  readonly tokenizer: TokenizerExtensionFunction
}

/** `$$…$$` and `\[…\]` on lines of their own, without a blank line in them. Within a line they end no paragraph. */
export const blockMath: MathSyntax = {
  start: (source) => {
    const line = source.search(/\n(?=\$\$|\\\[)/)
    return line === -1 ? undefined : line + 1
  },
  tokenizer: (source) =>
    mathToken(
      /^(?:\$\$((?:[^$\n]|\n(?![ \t]*\n))+)\$\$|\\\[((?:[^\n]|\n(?![ \t]*\n))+?)\\\])[ \t]*(?:\n+|$)/,
      source,
      true,
    ),
}

/**
 * `\(…\)`, `$$…$$` and `$…$` within a line. A dollar sign before a blank opens none, and one before a digit closes none, so
 * that prices stay prices.
 */
export const inlineMath: MathSyntax = {
  start: (source) => firstOf(source, ['$', '\\(', '\\[']),
  tokenizer: (source) =>
    mathToken(/^(?:\$\$([^$]+)\$\$|\\\[([^]+?)\\\])/, source, true) ??
    mathToken(
      /^(?:\$((?:[^\s$\\`]|\\[^\n])(?:(?:[^$\\\n`]|\\[^\n])*(?:[^\s$\\`]|\\[^\n]))?)\$(?!\d)|\\\(([^\n]+?)\\\))/,
      source,
      false,
    ),
}

/** Longer ones are shown as they are written. Characters. */
const LONGEST = 5_000

function mathToken(pattern: RegExp, source: string, display: boolean): MathToken | undefined {
  const found = pattern.exec(source.slice(0, LONGEST))
  if (found === null) return undefined
  return { type: 'math', raw: found[0], tex: (found[1] ?? found[2] ?? '').trim(), display }
}

function firstOf(source: string, marks: readonly string[]): number | undefined {
  const places = marks.map((mark) => source.indexOf(mark)).filter((place) => place !== -1)
  return places.length === 0 ? undefined : Math.min(...places)
}
