/** Marks of Markdown, each with what stays of it. Marks of lines are taken off before those within them. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  // Fences with the name of their language, rules, and the line below the head of a table.
  [/^[ \t]*(?:```|~~~)[^\n`]*$/gm, ''],
  [/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, ''],
  [/^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/gm, ''],
  // Quotes, headings, and signs of lists and tasks.
  [/^[ \t]*(?:>[ \t]?)+/gm, ''],
  [/^[ \t]*#{1,6}[ \t]+/gm, ''],
  [/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gm, ''],
  // Cells of a table.
  [/^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$/gm, ''],
  [/[ \t]+\|[ \t]+/g, ' · '],
  // Images and links have their words.
  [/!?\[([^\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)/g, '$1'],
  [/(`+)([^`\n]+)\1/g, '$2'],
  [/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2'],
  [/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_\n]*?[^\s*_])\1(?![\p{L}\p{N}*_])/gu, '$2'],
]

/** A Markdown text, or a piece of one, as words on one line: without its marks. A mark whose other end is missing stays. */
export function plainText(markdown: string): string {
  return MARKS.reduce((text, [mark, stays]) => text.replace(mark, stays), markdown)
    .replaceAll(/\s+/g, ' ')
    .trim()
}
