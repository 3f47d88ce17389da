import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type HistoryHits, type ListedSession, useResource } from '../api/resources.ts'
import { plainText } from '../markdown/plain-text.ts'
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

/** The passages of a conversation that a search found: where, when, and the words of the search in each. */
export function HistoryHit({ session: id, passages }: HistoryHitProps): ReactNode {
  const path = `/sessions/${encodeURIComponent(id)}`
  const { data: session } = useResource<ListedSession>(`/api${path}`, { revalidateOnFocus: false })
  return (
    <Link href={path} className="block rounded-lg px-2 py-1.5 text-sm hover:bg-line">
      {session && (
        <span className="flex items-baseline gap-2">
          <bdi className="min-w-0 flex-1 truncate">{sessionTitle(session)}</bdi>
          <span className="shrink-0 text-xs text-soft">{shortDay(passages[0]!.time)}</span>
        </span>
      )}
      {passages.slice(0, SHOWN).map((passage) => (
        <Words key={`${passage.seq} ${passage.text}`} passage={passage} />
      ))}
      {passages.length > SHOWN && (
        <span className="text-xs text-soft">{t`${passages.length - SHOWN} more in this conversation`}</span>
      )}
    </Link>
  )
}

function Words({ passage }: { readonly passage: Passage }): ReactNode {
  const text = plainText(passage.text)
  const hits = hitPattern(text, passage.hits)
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

/** Finds the words in a text: whole ones, or where it has none of them, parts of words, as of `readHistory`. */
function hitPattern(text: string, words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const longestFirst = words.toSorted((one, other) => other.length - one.length)
  const any = `(${longestFirst.map((word) => RegExp.escape(word)).join('|')})`
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${any}(?![\\p{L}\\p{N}])`, 'iu')
  return whole.test(text) ? whole : new RegExp(any, 'iu')
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
