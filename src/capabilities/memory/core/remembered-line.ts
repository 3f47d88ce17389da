import { wholeCharacter } from '../../../context.ts'

/**
 * A text as one line of at most so many characters: no line break in it can begin a line of its own, so nothing in it is a
 * heading, a bullet or a fence.
 */
export function rememberedLine(text: string, most: number): string {
  const line = text.replaceAll(/[\s\u0085\u200b\ufeff]+/gu, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, wholeCharacter(line, most - 1)).trimEnd()}…`
}

/** `2026-01-05 12:00`, in UTC. */
export function shownTime(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}
