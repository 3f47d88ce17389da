import { Markdown, type MarkdownTheme, setCapabilities, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { lexer } from 'marked'
import type { Io } from '../capability.ts'
import { applyStyle, type Look, width } from './io.ts'

/** An output that redraws its last lines by itself, as the screen of a chat does. */
export interface RedrawingOutput {
  /** Draws lines below everything that was written, in place of those that it drew before. */
  readonly redraw: (lines: readonly string[]) => void
}

export type RenderedAnswer = ReturnType<typeof renderedAnswer>

/** Characters of an unfinished code block after which its whole lines are written; of any other block, after which it is. */
const LONG_CODE = 2_000
const LONG_BLOCK = 16_000
/** Up to this many characters a block is drawn with each piece; a longer one when it has grown by an eighth, since each look reads all of it. */
const LIVELY_BLOCK = 2_000
/** Marks of emphasis in one paragraph or table: the parser compares each with all others, so that more would stop the terminal. */
const MOST_MARKS = 600

/**
 * Writes an answer to a terminal as headings, lists, tables, code and wrapped lines. A finished block of Markdown is written
 * once. The block that still grows stays below it and is drawn again with each piece. The text that comes in is safe for a
 * terminal already, and no character of it is left out but the marks of Markdown.
 */
export function renderedAnswer(io: Io) {
  // Else the address of a link hides behind its words, and what a model names and where it leads can differ unseen.
  setCapabilities({ images: null, trueColor: false, hyperlinks: false })
  const theme = themeOf(io)
  const redraw = 'redraw' in io.stdout ? (io.stdout as RedrawingOutput).redraw : terminalRedraw(io)
  let open = ''
  let looked = 0
  let isBelow = false
  /** The first line of a code block of which lines were written. */
  let fence = ''

  function linesOf(source: string): readonly string[] {
    const lines = renderBlocks(fence + source, theme, width(io))
    return fence === '' ? lines : lines.slice(1)
  }

  function writeLines(lines: readonly string[], isContinued: boolean): void {
    redraw([])
    if (lines.length > 0) io.stdout.write(`${[...gap(), ...lines].join('\n')}\n`)
    isBelow ||= lines.length > 0
    if (!isContinued) fence = ''
  }

  const gap = () => (isBelow && fence === '' ? [''] : [])

  function writeFinished(): void {
    // A line that is not over may still become anything.
    const complete = fence + open.slice(0, open.lastIndexOf('\n') + 1)
    const end = openBlockStart(complete) - fence.length
    if (end > 0) {
      writeLines(linesOf(open.slice(0, end)), false)
      open = open.slice(end)
    }
    const whole = open.lastIndexOf('\n') + 1
    const [begin = fence] = fence === '' ? (/^ {0,3}(?:`{3,}|~{3,})[^\n]*\n/.exec(open) ?? ['']) : [fence]
    if (begin !== '' && open.length > LONG_CODE && whole > begin.length) {
      writeLines(linesOf(open.slice(0, whole)).slice(0, -1), true)
      fence = begin
      open = open.slice(whole)
    } else if (open.length > LONG_BLOCK && whole > 0) {
      writeLines(linesOf(open.slice(0, whole)), false)
      open = open.slice(whole)
    }
  }

  return {
    write(text: string) {
      open += text
      if (open.length > LIVELY_BLOCK && open.length - looked < open.length / 8) return
      writeFinished()
      looked = open.length
      if (open.trim() !== '') redraw([...gap(), ...linesOf(open)])
    },
    /** Writes what is left. What follows begins a line, and a next answer is another text. */
    end() {
      if (open.trim() !== '' || fence !== '') writeLines(linesOf(open), false)
      else redraw([])
      open = ''
      looked = 0
      isBelow = false
    },
  }
}

/** Where the last block of a text begins: what stands before it does not change any more, whatever follows. */
function openBlockStart(text: string): number {
  const blocks = parsed(text, () => lexer(text)) ?? []
  const last = blocks.findLastIndex(({ type }) => type !== 'space')
  const lengths = blocks.map(({ raw }) => raw.length)
  const sum = (parts: readonly number[]) => parts.reduce((all, length) => all + length, 0)
  // Where the parser counts in characters that it replaced, places are not those of the text.
  return sum(lengths) === text.length ? sum(lengths.slice(0, Math.max(0, last))) : 0
}

function renderBlocks(text: string, theme: MarkdownTheme, columns: number): readonly string[] {
  const rendered = parsed(text, () => new Markdown(text, 0, 0, theme, undefined, asWritten).render(columns))
  const lines = (rendered ?? wrapTextWithAnsi(text, columns)).map((line) => line.trimEnd())
  const first = lines.findIndex((line) => line !== '')
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1)
}

const asWritten = { preserveOrderedListMarkers: true }

/** Nothing where the parser throws, as it does on some lists with an empty quote, or would take long: such a text is shown as it is written. */
function parsed<Value>(text: string, parse: () => Value): Value | undefined {
  try {
    if (text.split(/\n[ \t]*\n/).some((part) => (part.match(/[*_~]/g)?.length ?? 0) > MOST_MARKS)) return undefined
    return parse()
  } catch {
    return undefined
  }
}

function themeOf(io: Io): MarkdownTheme {
  const look = (name: Look) => (text: string) => applyStyle(io, name, text)
  const plain = (text: string) => text
  return {
    heading: plain,
    link: plain,
    linkUrl: look('dim'),
    code: look('cyan'),
    codeBlock: look('cyan'),
    codeBlockBorder: look('dim'),
    quote: plain,
    quoteBorder: look('dim'),
    hr: look('dim'),
    listBullet: look('dim'),
    bold: look('bold'),
    italic: look('italic'),
    strikethrough: plain,
    underline: look('underline'),
    codeBlockIndent: '',
  }
}

/** Moves up to the first line that was drawn and clears from there. No more is drawn than the terminal has rows. */
function terminalRedraw(io: Io): RedrawingOutput['redraw'] {
  let drawn = 0
  return (lines) => {
    const shown = lines.slice(-Math.max(1, (io.stdout.rows ?? 24) - 1))
    const up = drawn > 1 ? `\u001B[${drawn - 1}A` : ''
    const erased = drawn === 0 ? '' : `${up}\r\u001B[J`
    if (erased !== '' || shown.length > 0) io.stdout.write(`${erased}${shown.join('\n')}`)
    drawn = shown.length
  }
}
