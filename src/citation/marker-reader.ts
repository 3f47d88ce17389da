import { type Marker, isDouble, markerAfter, markerFrom, numbersOf } from './marker.ts'
import { linkAfter, linkStart, type MarkerLink } from './marker-link.ts'
import type { CitationPiece } from './piece.ts'

export interface MarkerReader {
  /** `literal`: the character can be no part of a marker. */
  take(char: string, literal: boolean): void
  end(): void
}

/**
 * Tells markers from other text, one character at a time and each once: what turns out to be no marker is never read again,
 * since none can begin inside it. A marker is given when the character behind it is there: a link may follow.
 */
export function markerReader(isKnown: (number: number) => boolean, give: (piece: CitationPiece) => void): MarkerReader {
  let marker: Marker | undefined
  let numbers: readonly number[] = []
  let link: MarkerLink | undefined
  /** A `!` stands in front: with a link behind, that is an image. */
  let image = false
  let last = ''

  function take(char: string, literal: boolean): void {
    if (literal || !extended(char)) {
      settle()
      marker = literal ? undefined : markerFrom(char)
      image = last === '!'
      if (!marker) giveText(char)
    }
    last = literal ? '' : char
  }

  /** Whether the character belongs to what is held back. */
  function extended(char: string): boolean {
    if (!marker) return false
    if (link) return linkExtended(marker, link, char)
    if (marker.part === 'closed') return linkBegun(char)
    const longer = markerAfter(marker, char)
    if (longer) return grown(longer)
    if (marker.part === 'closing') {
      leaveOuterBracket()
      return linkBegun(char)
    }
    if (marker.text !== '[[' || char !== '[') return false
    giveText('[')
    image = false
    return true
  }

  function grown(longer: Marker): boolean {
    marker = longer
    if (longer.part !== 'closing' && longer.part !== 'closed') return true
    const known = numbersOf(longer.text).filter(({ number }) => number > 0 && isKnown(number))
    numbers = [...new Set(known.map(({ number }) => number))]
    if (numbers.length === 0) settle()
    return true
  }

  function linkBegun(char: string): boolean {
    if (char !== '(' || marker?.close !== ']') return false
    if (image) {
      giveText(marker.text)
      marker = undefined
      return false
    }
    link = linkStart
    return true
  }

  function linkExtended({ text }: Marker, begun: MarkerLink, char: string): boolean {
    const longer = linkAfter(begun, char)
    if (!longer) return false
    link = longer
    if (longer.depth > 0) return true
    give({ type: 'citation', numbers, text: text + longer.text })
    marker = link = undefined
    return true
  }

  /** `[[1]` without its last bracket is a `[1]` behind a bracket. */
  function leaveOuterBracket(): void {
    if (!marker || !isDouble(marker.text)) return
    giveText('[')
    marker = { ...marker, text: marker.text.slice(1), part: 'closed' }
    image = false
  }

  /** Gives what is held back as what it is when nothing more belongs to it. */
  function settle(): void {
    if (!marker) return
    if (marker.part === 'closing' && numbers.length > 0) leaveOuterBracket()
    if (marker.part === 'closed' && numbers.length > 0) give({ type: 'citation', numbers, text: marker.text })
    else giveText(marker.text)
    if (link) giveText(link.text)
    marker = link = undefined
    numbers = []
  }

  function giveText(text: string): void {
    give({ type: 'text', text })
  }

  return { take, end: settle }
}
