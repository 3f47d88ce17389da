import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type HistoryHits, type ListedSession, useResource } from '../api/resources.ts'
import { shortDay } from './session-groups.ts'
import { sessionTitle } from './session-row.tsx'

/** Characters of a passage before its first word that matched. */
const BEFORE = 30

/** A passage of a conversation that a search found: where, when, and the words of the search in it. */
export function HistoryHit({ passage }: { readonly passage: HistoryHits['passages'][number] }): ReactNode {
  const path = `/sessions/${encodeURIComponent(passage.session)}`
  const { data: session } = useResource<ListedSession>(`/api${path}`, { revalidateOnFocus: false })
  const text = passage.text.replaceAll(/\s+/g, ' ')
  const first = Math.min(...passage.matched.map((word) => text.toLowerCase().indexOf(word.toLowerCase())).filter(found))
  const start = Number.isFinite(first) ? Math.max(0, first - BEFORE) : 0
  return (
    <Link href={path} className="block rounded-lg px-2 py-1.5 text-sm hover:bg-line">
      {session && (
        <span className="flex items-baseline gap-2">
          <bdi className="min-w-0 flex-1 truncate">{sessionTitle(session)}</bdi>
          <span className="shrink-0 text-xs text-soft">{shortDay(passage.time)}</span>
        </span>
      )}
      <span className="line-clamp-2 wrap-anywhere text-soft">
        {start > 0 && '… '}
        {pieces(text.slice(start, start + 200), passage.matched).map(({ piece, at, hit }) =>
          hit ? (
            <mark key={at} className="bg-transparent font-semibold text-ink">
              {piece}
            </mark>
          ) : (
            piece
          ),
        )}
      </span>
    </Link>
  )
}

function found(index: number): boolean {
  return index !== -1
}

/** The text in pieces that are a word of the search, or not. */
function pieces(text: string, words: readonly string[]) {
  const escaped = words.filter((word) => word !== '').map((word) => RegExp.escape(word))
  if (escaped.length === 0) return [{ piece: text, at: 0, hit: false }]
  let at = 0
  return text.split(new RegExp(`(${escaped.join('|')})`, 'iu')).map((piece, index) => {
    const from = at
    at += piece.length
    return { piece, at: from, hit: index % 2 === 1 }
  })
}
