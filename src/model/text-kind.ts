/** Kinds of text that tokenizers count in different ways. `dense`: scripts without spaces between words. */
export type TextKind = 'prose' | 'code' | 'json' | 'dense'

export type KindTokens = Readonly<Partial<Record<TextKind, number>>>

/** Characters of a text that its kind is told from. */
const SAMPLE = 2000

export function textKind(text: string): TextKind {
  const sample = text.slice(0, SAMPLE)
  const share = (pattern: RegExp) => (sample.match(pattern)?.length ?? 0) / Math.max(1, sample.length)
  if (share(DENSE) > 0.3) return 'dense'
  if (share(QUOTES) > 0.05 && share(BRACKETS) > 0.01) return 'json'
  return share(SYMBOLS) > 0.05 ? 'code' : 'prose'
}

const DENSE = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g
const QUOTES = /"/g
const BRACKETS = /[{}[\]]/g
const SYMBOLS = /[{}()[\];=<>]/g
