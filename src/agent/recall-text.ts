import { wholeCharacter } from '../context.ts'
import type { PassageNeighbour, RankedPassage, RecallAnswer } from '../search.ts'

/** Of a passage, what is shown, characters. The rest is read with its turn or call. */
const SHOWN = 400
/** Passages that are shown with what was said before and after them: the best. */
const WITH_NEIGHBOURS = 3

/**
 * An answer of the history as a model reads it: each passage with where and when it was said, what stands around it, and the
 * input that reads on. What was not found is said first.
 */
export function recallText(
  { passages, found, missing, nearest, complete }: RecallAnswer,
  { session, query }: { readonly session: string; readonly query: string },
): string {
  const later = complete ? [] : ['Older parts of this conversation are still being indexed: ask again in a while.']
  if (found === 'nothing') {
    const nothing = `Nothing in this conversation has: ${missing.join(', ') || query}.`
    return [nothing, 'Try other words for the same thing, or read turns one by one with "turn".', ...later].join(' ')
  }
  const head = [
    ...(missing.length === 0 ? [] : [`Nothing in this conversation has: ${missing.join(', ')}.`]),
    ...(nearest.length === 0 ? [] : [`Nearest: ${nearest.join(', ')}.`]),
    'Best passages first. Read on with the input behind each.',
    ...later,
  ].join(' ')
  return [head, ...passages.map((passage, index) => passageText(passage, session, index < WITH_NEIGHBOURS))].join(
    '\n\n',
  )
}

function passageText(passage: RankedPassage, session: string, withNeighbours: boolean): string {
  const { ordinal, role, time, call, before, after } = passage
  const said = call ? `tool ${call.name}${call.ok === false ? ', failed' : ''}` : role
  const elsewhere = passage.session === session ? {} : { session: passage.session }
  const reads = call ? { call: call.id, ...elsewhere } : { turn: ordinal, ...elsewhere }
  const lines = [`turn ${ordinal} (${said}, ${time}) ${JSON.stringify(reads)}`, excerptOf(passage)]
  if (withNeighbours && before) lines.splice(1, 0, neighbourText('before', before))
  if (withNeighbours && after) lines.push(neighbourText('after', after))
  return lines.join('\n')
}

function neighbourText(side: string, { ordinal, role, text }: PassageNeighbour): string {
  return `  (${side}, turn ${ordinal}, ${role}: ${text})`
}

/** The part of a passage around the first words that were looked for, in one line. */
function excerptOf({ text, matched, start, end, length }: RankedPassage): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const lower = line.toLowerCase()
  const places = matched.map((word) => lower.indexOf(beginning(word))).filter((place) => place !== -1)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const from =
    line.length <= SHOWN ? 0 : wholeCharacter(line, Math.max(0, Math.min(first - SHOWN / 4, line.length - SHOWN)))
  const to = wholeCharacter(line, Math.min(line.length, from + SHOWN))
  return `${from > 0 || start > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length || end < length ? '…' : ''}`
}

/** What the forms of a word have in common, about. */
function beginning(word: string): string {
  return word.length <= 4 ? word : word.slice(0, Math.max(4, word.length - 3))
}
