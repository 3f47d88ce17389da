import { Upload } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSWRConfig } from 'swr'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { Link, useLocation, useRoute } from 'wouter'
import { type HistoryHits, type ListedSession, useResource } from '../api/resources.ts'
import { followSessionChanges } from '../api/session-changes.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { useLate } from '../parts/use-now.ts'
import { AccountLink } from './account-link.tsx'
import { LabelDialog } from './label-dialog.tsx'
import { MonthSum } from './month-sum.tsx'
import { finishDeletion, usePendingDeletions } from './pending-deletion.ts'
import { allSessions, NoSessions, SessionFilter } from './session-filter.tsx'
import { groupsOf } from './session-groups.ts'
import { HistoryHit } from './session-hit.tsx'
import { focusActions, SessionRow } from './session-row.tsx'
import { useSessionRows } from './use-session-rows.ts'
import type { ApiError } from '../api/client.ts'
import { importSession } from '../api/session-requests.ts'
import { IconButton } from '../parts/button.tsx'
import { showToast } from '../parts/toasts.tsx'
import { t } from '../language/language.ts'

/** The next page is read when the end of the list is this near, px. */
const NEAR = 3_000
/** A search runs once its words have not changed for this long, ms. */
const PAUSE_MS = 200

/** The sessions of the home, pinned ones first, then the newest activity. Only the rows on the screen exist in the page. */
export function SessionList(): ReactNode {
  const [wanted, setWanted] = useState(allSessions)
  const [edited, setEdited] = useState<{ readonly what: 'title' | 'folder'; readonly session: ListedSession }>()
  const [, params] = useRoute('/sessions/:session/*?')
  const list = useRef<VirtualizerHandle>(null)
  const hidden = usePendingDeletions()
  useSharedSessions()

  const words = useLate(wanted.words.trim(), PAUSE_MS)
  const filter = {
    ...(wanted.folder === '' ? {} : { folder: wanted.folder }),
    ...(wanted.state === '' ? {} : { state: wanted.state }),
    ...(words === '' ? {} : { q: words }),
  }
  const pinned = useSessionRows({ ...filter, pinned: true })
  const others = useSessionRows({ ...filter, pinned: false })
  const { data: hits } = useResource<HistoryHits>(
    words === '' ? undefined : `/api/search/history?q=${encodeURIComponent(words)}&limit=30`,
    { keepPreviousData: true },
  )

  // Who stands at the end when rows arrive, or are read again, need not scroll for those behind them.
  const { readMore } = others
  const readMoreNear = (offset = list.current?.scrollOffset ?? 0): void => {
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {}
    if (scrollSize - offset - viewportSize < NEAR) readMore()
  }
  const nearEnd = useRef(readMoreNear)
  nearEnd.current = readMoreNear
  useEffect(() => nearEnd.current(), [others.rows])
  useEffect(() => {
    list.current?.scrollTo(0)
  }, [others.matched])

  const error = pinned.error ?? others.error
  const line = (session: ListedSession): ReactNode => (
    <SessionRow
      key={session.id}
      session={session}
      current={session.id === params?.session}
      onEdit={(what) => setEdited({ what, session })}
    />
  )
  const kept = ({ id }: ListedSession): boolean => !hidden.has(id)
  const top = pinned.rows.filter(kept)
  const rest = others.rows.filter(kept)
  const found = (words !== '' && hits?.found === 'words' ? hits.passages : []).filter(
    ({ session }) => !hidden.has(session),
  )
  const withWords = found.filter((passage) => passage.hits.length > 0)
  // Passages beside a hit have none of the words, and neither has any of a day that was asked for.
  const passages = withWords.length > 0 ? withWords : found
  const isEmpty = pinned.loaded && others.loaded && top.length + rest.length + passages.length === 0
  return (
    <>
      <nav aria-label={t`New`} className="p-2 pb-0">
        <Link
          href="/"
          className="flex items-center justify-between gap-1 rounded-lg border border-line bg-raised px-2 py-1.5 text-sm font-medium hover:border-strong-line"
        >
          <span className="min-w-0 truncate">{t`New conversation`}</span>
          <kbd
            aria-hidden
            className="shrink-0 rounded border border-line px-1 font-mono text-[11px] font-normal whitespace-nowrap text-soft pointer-coarse:hidden"
          >
            {NEW_KEY}
          </kbd>
        </Link>
      </nav>
      <SessionFilter wanted={wanted} onChange={setWanted} />
      <div className="min-h-0 flex-1 overflow-y-auto p-1" tabIndex={-1}>
        {error && error.code !== 'offline' && <ErrorNote error={error} />}
        {error?.code === 'offline' && (
          <p className="px-2 py-3 text-sm text-soft">{t`The list is read again by itself.`}</p>
        )}
        {isEmpty && <NoSessions wanted={wanted} onChange={setWanted} />}
        <Virtualizer ref={list} as="ul" item="li" onScroll={readMoreNear}>
          {[
            ...(top.length === 0 ? [] : [<Heading key=" pinned">{t`Pinned`}</Heading>]),
            ...top.map(line),
            ...groupsOf(rest, others.matched.q === undefined ? new Date() : undefined).flatMap(
              ({ title, sessions }) => [<Heading key={` ${title}`}>{title}</Heading>, ...sessions.map(line)],
            ),
            ...(passages.length === 0 ? [] : [<Heading key=" found">{t`In conversations`}</Heading>]),
            ...[...Map.groupBy(passages, ({ session }) => session)].map(([session, own]) => (
              <HistoryHit key={` ${session}`} session={session} passages={own} />
            )),
          ]}
        </Virtualizer>
      </div>
      <nav aria-label={t`Pages`} className="border-t border-line p-1 text-sm">
        <Link
          href="/settings/costs"
          className="flex items-baseline justify-between gap-2 rounded-lg px-2 py-1.5 hover:bg-line"
        >
          <span className="shrink-0">{t`Costs`}</span> <MonthSum />
        </Link>
        <div className="flex">
          <Link href="/settings" className="flex-1 rounded-lg px-2 py-1.5 hover:bg-line">
            {t`Settings`}
          </Link>
          <ImportButton />
        </div>
      </nav>
      <AccountLink />
      {edited && (
        <LabelDialog
          {...edited}
          onClose={() => {
            setEdited(undefined)
            focusActions(edited.session.id)
          }}
        />
      )}
    </>
  )
}

function Heading({ children }: { readonly children: ReactNode }): ReactNode {
  return <h2 className="px-2 pt-3 pb-1 text-xs font-semibold text-soft">{children}</h2>
}

/** The keys that begin a conversation, as this machine writes them. */
const NEW_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⇧⌘O' : `${t`Ctrl`} ⇧ O`

/** What changes in a session reaches every part of the page that shows it, and the names of the folders. */
function useSharedSessions(): void {
  const { mutate } = useSWRConfig()
  useEffect(() => {
    const folders = new Map<string, string | undefined>()
    return followSessionChanges((change) => {
      if (change.type === 'session') {
        const { id, folder } = change.session
        void mutate(`/api/sessions/${encodeURIComponent(id)}`, change.session, { revalidate: false })
        if (folders.has(id) && folders.get(id) === folder) return
        folders.set(id, folder)
      }
      void mutate('/api/session-folders')
    })
  }, [mutate])
}

/** Imports an exported session from a file and opens it. Where its id is taken, a copy is offered. */
function ImportButton(): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  const [, navigate] = useLocation()

  const bringIn = async (file: File, as?: string): Promise<void> => {
    try {
      if (as === undefined) await finishDeletion(await exportedSession(file))
      const { id } = await importSession(file, as)
      navigate(`/sessions/${encodeURIComponent(id)}`)
    } catch (failed) {
      const { message, facts } = failed as ApiError
      const copy = {
        label: t`Import a copy`,
        run: () => void bringIn(file, `session_${crypto.randomUUID().slice(0, 8)}`),
      }
      showToast({ text: message, ms: 12_000, ...(facts['store'] === 'conflict' ? { action: copy } : {}) })
    }
  }
  return (
    <>
      <IconButton label={t`Import a session`} onClick={() => input.current?.click()}>
        <Upload size={16} aria-hidden />
      </IconButton>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.ndjson,application/jsonl"
        aria-label={t`File with an exported session`}
        className="hidden"
        onChange={({ target }) => {
          const file = target.files?.[0]
          target.value = ''
          if (file) void bringIn(file)
        }}
      />
    </>
  )
}

/** The longest first line that is read, bytes. */
const HEADER_BYTES = 65_536

/** Id of the session of an export; empty where its first line cannot be read, which the gateway tells. */
async function exportedSession(file: File): Promise<string> {
  try {
    const [header = ''] = (await file.slice(0, HEADER_BYTES).text()).split('\n', 1)
    const { session } = JSON.parse(header) as { readonly session?: { readonly id?: unknown } }
    return typeof session?.id === 'string' ? session.id : ''
  } catch {
    return ''
  }
}
