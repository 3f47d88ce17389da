import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type HistoryHits, type ListedSession, useResource } from '../api/resources.ts'
import { plainText } from '../markdown/plain-text.ts'
import { wordPattern } from '../parts/marked-words.ts'
import { type ShownPlace, shownPlace } from '../parts/asked.ts'
import { shortDay } from './session-groups.ts'
import { sessionTitle } from './session-row.tsx'
import { t } from '../language/language.ts'

/** Passages of one conversation that are shown. */
const SHOWN = 3
/** Characters of a passage before its first word that matched. */
const BEFORE = 30

type Passage = HistoryHits['passages'][number]

interface HistoryHitProps {
  readonly session: string
  /** At least one. */
  readonly passages: readonly Passage[]
}

/** The passages of a conversation that a search found: where, when, and the words of the search in each, which a click opens. */
export function HistoryHit({ session: id, passages }: HistoryHitProps): ReactNode {
  const path = `/sessions/${encodeURIComponent(id)}`
  const { data: session } = useResource<ListedSession>(`/api${path}`, { revalidateOnFocus: false })
  return (
    <div className="text-sm">
      {session && (
        <Link href={path} className="flex items-baseline gap-2 rounded-lg px-2 pt-1.5 hover:bg-line">
          <bdi className="min-w-0 flex-1 truncate">{sessionTitle(session)}</bdi>
          <span className="shrink-0 text-xs text-soft">{shortDay(passages[0]!.time)}</span>
        </Link>
      )}
      {passages.slice(0, SHOWN).map((passage) => (
        <Link
          key={`${passage.seq} ${passage.text}`}
          href={path}
          className="block rounded-lg px-2 py-0.5 hover:bg-line"
          onClick={() => shownPlace.ask(placeOf(passage))}
        >
          <Words passage={passage} />
        </Link>
      ))}
      {passages.length > SHOWN && (
        <span className="px-2 text-xs text-soft">{t`${passages.length - SHOWN} more in this conversation`}</span>
      )}
    </div>
  )
}

function placeOf({ session, turn, role, call, hits }: Passage): ShownPlace {
  return { session, turn, words: hits, ofAnswer: role !== 'user', ...(call && { toolCallId: call.id }) }
}

function Words({ passage }: { readonly passage: Passage }): ReactNode {
  const text = plainText(passage.text)
  const hits = wordPattern(text, passage.hits)
  const near = (hits === undefined ? 0 : text.search(hits)) - BEFORE
  // At the beginning of a word, where one is near.
  const start = near <= 0 ? 0 : text.slice(near, near + BEFORE).search(/(?<=\s)\S|$/) + near
  return (
    <span className="line-clamp-2 wrap-anywhere text-soft">
      {start > 0 && '… '}
      {pieces(text.slice(start, start + 200), hits).map(({ piece, at, hit }) =>
        hit ? (
          <mark key={at} className="bg-transparent font-semibold text-ink">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </span>
  )
}

/** The text in pieces that were found, or not. */
function pieces(text: string, hits: RegExp | undefined) {
  if (hits === undefined) return [{ piece: text, at: 0, hit: false }]
  let at = 0
  return text.split(hits).map((piece, index) => {
    const from = at
    at += piece.length
    return { piece, at: from, hit: index % 2 === 1 }
  })
}
