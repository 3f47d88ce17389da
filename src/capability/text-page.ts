import { tokenx, wholeCharacter } from '../context.ts'

/** Characters of one page: few enough to be shown whole. */
export const PAGE_CHARS = 12_000

/** A page of a long text, cut at whole characters, with a line about its position and how to continue. */
export function textPage(text: string, offset: number, limit: number = PAGE_CHARS): string {
  if (offset > 0 && offset >= text.length) return `[the text ends at character ${text.length}]`
  const end = wholeCharacter(text, Math.min(text.length, offset + limit))
  const shown = text.slice(wholeCharacter(text, offset), end)
  return end < text.length
    ? `${shown}\n[characters ${offset} to ${end} of ${text.length}; go on with offset ${end}]`
    : shown
}

/** What a result may take: characters, and tokens of the next call. */
interface PageRoom {
  readonly characters: number
  readonly tokens: number
}

/** Characters reserved for the line about the end of a page. */
const NOTE = 100
/** The smallest page, characters, however small the room is. */
const LEAST_PAGE = 900

/**
 * A page of at most `limit` characters that is as large as the room, by the tokens that the text itself costs: so it is
 * not cut again. A text that fits is whole.
 */
export function fittingPage(text: string, offset: number, room?: PageRoom, limit: number = PAGE_CHARS): string {
  const rest = text.slice(offset)
  const most = Math.min(limit, room?.characters ?? limit)
  const cost = room === undefined ? 0 : tokenx.text(rest)
  const fits = room === undefined || cost <= room.tokens ? most : Math.floor((rest.length * room.tokens) / cost)
  const held = Math.min(most, fits)
  return textPage(text, offset, rest.length <= held ? held : Math.max(LEAST_PAGE, held - NOTE))
}
