import { codeBlocks } from './code-block.ts'
import type { CitedSource } from './document-text.ts'
import { markerReader } from './marker-reader.ts'
import { type CitationPiece, joinTexts } from './piece.ts'

/**
 * Finds citations in an answer while it streams in (BEHAVIOURS §3.6). However the text is cut into chunks, the pieces are the
 * same once texts that follow each other are joined; all texts joined are what was read. Every character is looked at once.
 *
 * `[1]`, `[[1]]`, `[1, 2]`, `【1】` and `［1］` are citations of the numbers that are known, `[1][2]` two of them. A marker
 * without any such number is text. So `[1, 99]` cites 1, and its text still contains 99. `[1](https://…)` is one citation with
 * its link; an image, a footnote `[^1]` and `\[1]` are none. Nothing is found in code: fences, indented code and code spans
 * as CommonMark has them (HTML is not read).
 */
export function citationReader(isKnown: (number: number) => boolean) {
  const blocks = codeBlocks()
  const spans = codeSpans()
  const markers = markerReader(isKnown, take)
  let given: CitationPiece[] = []
  let text = ''
  /** Since the first citation in a code span that is not closed yet. */
  let held: CitationPiece[] | undefined
  let heldLength = 0
  /** More than can be held back: taken for code until the span is over. */
  let taken = false
  let escaped = false

  function see(char: string): void {
    const { code, ends } = blocks.take(char)
    if (ends) settle(spans.end())
    if (code !== 'yes') settle(spans.take(char, escaped))
    markers.take(char, escaped || code !== 'no')
    escaped = char === '\\' && !escaped && code === 'no'
  }

  function take(piece: CitationPiece): void {
    if (held) hold(held, piece)
    else if (piece.type === 'text') text += piece.text
    else if (!spans.isOpen()) give(piece)
    else if (taken) text += piece.text
    else hold((held = []), piece)
  }

  function hold(pieces: CitationPiece[], piece: CitationPiece): void {
    pieces.push(piece)
    heldLength += piece.text.length
    if (heldLength <= longestHeld) return
    settle('code')
    taken = true
  }

  function settle(verdict: SpanVerdict | undefined): void {
    if (!verdict) return
    for (const piece of held ?? []) {
      if (verdict === 'code' || piece.type === 'text') text += piece.text
      else give(piece)
    }
    held = undefined
    heldLength = 0
    taken = false
  }

  function give(piece: CitationPiece): void {
    flushText()
    given.push(piece)
  }

  function flushText(): void {
    if (text !== '') given.push({ type: 'text', text })
    text = ''
  }

  function flush(): readonly CitationPiece[] {
    flushText()
    const pieces = given
    given = []
    return pieces
  }

  return {
    /** What is decided now. The rest is held back: at most 4,000 characters. */
    read(chunk: string) {
      for (let index = 0; index < chunk.length; index += 1) see(chunk.charAt(index))
      return flush()
    },
    /** The answer is over: everything that was held back. */
    end() {
      markers.end()
      settle(spans.end())
      return flush()
    },
  }
}

/** The pieces of an answer that is there as a whole. */
export function citedText(text: string, isKnown: (number: number) => boolean): readonly CitationPiece[] {
  const reader = citationReader(isKnown)
  return joinTexts([...reader.read(text), ...reader.end()])
}

/** In characters. Behind it a marker with a link may be held back too. */
const longestHeld = 1024

/** What the characters since the backticks were. */
type SpanVerdict = 'code' | 'prose'

/**
 * Follows inline code, one character at a time. A span is opened by backticks and closed by as many; what is not closed in
 * its paragraph was no code. If it contains other runs of backticks, one of those may have opened code: it is then treated as
 * code to the end.
 */
function codeSpans() {
  let run = 0
  let open = 0
  let mixed = false

  function take(char: string, escaped: boolean): SpanVerdict | undefined {
    if (char !== '`' || (escaped && open === 0)) return runEnd()
    run += 1
    return undefined
  }

  function runEnd(): SpanVerdict | undefined {
    const length = run
    run = 0
    if (length === 0) return undefined
    if (open === length) {
      open = 0
      return 'code'
    }
    mixed = open > 0
    if (open === 0) open = length
    return undefined
  }

  function end(): SpanVerdict | undefined {
    const closed = runEnd()
    if (open === 0) return closed
    open = 0
    return mixed ? 'code' : 'prose'
  }

  return {
    /** `escaped`: a backslash precedes it. Returns a verdict where a span was closed before this character. */
    take,
    /** The paragraph is over, and with it every span. */
    end,
    isOpen: () => open > 0,
  }
}

/** A marker in an answer, and the source that it cites. `text.slice(start, end)` is the marker as the model wrote it. */
export interface AnswerCitation {
  readonly start: number
  readonly end: number
  readonly source: CitedSource
}

/** Every marker of a text that begins at `offset` of the answer: one for each source that it cites. */
export function answerCitations(
  text: string,
  sources: readonly CitedSource[],
  offset: number,
): readonly AnswerCitation[] {
  const known = new Map(sources.map((source) => [source.citation, source]))
  let start = offset
  return citedText(text, (number) => known.has(number)).flatMap((piece) => {
    const end = start + piece.text.length
    const numbers = piece.type === 'citation' ? piece.numbers : []
    const found = numbers.map((number) => ({ start, end, source: known.get(number)! }))
    start = end
    return found
  })
}
