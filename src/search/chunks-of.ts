import { type Block, blocksOf } from './chunk/blocks.ts'
import { cutOf, overlapStart } from './chunk/cut.ts'
import { inkEnd, inkStart } from './chunk/ink.ts'
import { positionsIn } from './chunk/positions.ts'
import type { Chunk } from './engine.ts'

export interface ChunkOptions {
  /** Characters before which each page begins, ascending, the first at 0. */
  readonly pages?: readonly number[]
  /** Characters of a chunk at most. */
  readonly size?: number
  /** Characters that two parts of something that had to be torn share at most; an eighth of `size` is the limit. */
  readonly overlap?: number
}

const DEFAULT_CHUNK_SIZE = 1_000
const DEFAULT_CHUNK_OVERLAP = 60
const SMALLEST_SIZE = 32

/**
 * Cuts a text into parts that can be found one by one. Sections, paragraphs, lists, tables and code stay whole where they
 * fit; what has to be torn is torn between lines or sentences. `text.slice(start, end)` is the text of each chunk, all
 * that is not blank is in one, and the same text always gives the same chunks, in time linear in its length.
 *
 * @throws RangeError where `size` is below 32 or `overlap` below 0
 */
export function chunksOf(text: string, options: ChunkOptions = {}): readonly Chunk[] {
  return [...eachChunk(text, options)]
}

/** The same, one after the other, for whoever does something else between them. */
export function* eachChunk(text: string, options: ChunkOptions = {}): Generator<Chunk> {
  const { size = DEFAULT_CHUNK_SIZE, overlap = DEFAULT_CHUNK_OVERLAP } = options
  if (!(size >= SMALLEST_SIZE))
    throw new RangeError(`the size of a chunk is ${size}: at least ${SMALLEST_SIZE} characters`)
  if (!(overlap >= 0)) throw new RangeError(`the overlap of chunks is ${overlap}: 0 or more characters`)
  const placeOf = positionsIn(text, options.pages)
  for (const span of spansOf(text, Math.floor(size), Math.min(Math.floor(overlap), Math.floor(size / 8)))) {
    const start = inkStart(text, span.start, span.end)
    const end = inkEnd(text, start, span.end)
    if (start === end) continue
    const place = placeOf(start)
    yield { id: `${start}-${end}`, text: text.slice(start, end), start, end, ...place, headings: span.headings }
  }
}

/** A block that says something, with the headings right above it. */
interface Unit {
  readonly start: number
  readonly end: number
  readonly lined: boolean
  readonly headings: readonly string[]
  /** Whether it has headings of its own. */
  readonly opens: boolean
}

type Span = Omit<Unit, 'opens'>

/** What of a size is enough to be a chunk alone: what is shorter waits for what follows. */
const ENOUGH = 1 / 3

/** Gathers units until a chunk is full, or a section that is worth a chunk ends. */
function* spansOf(text: string, size: number, overlap: number): Generator<Span> {
  let open: Span | undefined
  for (const unit of unitsOf(text, size)) {
    if (open && !goOn(open, unit, size)) {
      yield open
      open = undefined
    }
    let span: Span = open
      ? { start: open.start, end: unit.end, lined: unit.lined, headings: shared(open.headings, unit.headings) }
      : unit
    while (span.end - span.start > size) {
      const cut = cutOf(text, span, size)
      yield { ...span, end: cut }
      span = { ...span, start: overlapStart(text, span, cut, overlap), headings: unit.headings }
    }
    open = span
  }
  if (open) yield open
}

function goOn(open: Span, unit: Unit, size: number): boolean {
  const enough = open.end - open.start >= size * ENOUGH
  if (unit.end - open.start <= size) return !(unit.opens && enough)
  return !unit.opens && !enough && unit.end - unit.start > size
}

/** Headings go with what stands below them. */
function* unitsOf(text: string, size: number): Generator<Unit> {
  let path: readonly Heading[] = []
  let above: Span | undefined
  for (const block of blocksOf(text)) {
    if (block.level === undefined) {
      yield { ...block, start: above?.start ?? block.start, headings: titles(path), opens: above !== undefined }
      above = undefined
      continue
    }
    path = below(path, block, block.level)
    const headings = above ? shared(above.headings, titles(path)) : titles(path)
    above = { start: above?.start ?? block.start, end: block.end, lined: true, headings }
    if (above.end - above.start <= size / 2) continue
    yield { ...above, opens: true }
    above = undefined
  }
  if (above) yield { ...above, opens: true }
}

interface Heading {
  readonly level: number
  readonly title: string
}

function below(path: readonly Heading[], { title = '' }: Block, level: number): readonly Heading[] {
  return [...path.filter((heading) => heading.level < level), { level, title }]
}

function titles(path: readonly Heading[]): readonly string[] {
  return path.map((heading) => heading.title).filter((title) => title !== '')
}

/** The beginning that two heading paths have in common. */
function shared(one: readonly string[], other: readonly string[]): readonly string[] {
  const differs = one.findIndex((title, index) => title !== other[index])
  return differs === -1 ? one : one.slice(0, differs)
}
