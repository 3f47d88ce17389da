import { MessageSquarePlus, Settings } from 'lucide-react'
import type { ReactNode } from 'react'
import { Virtualizer } from 'virtua'
import { Link, useRoute } from 'wouter'
import { type ListedSession, type SessionPage, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'

/** The sessions of the home, newest activity first. Only the rows on the screen exist in the page. */
export function SessionList(): ReactNode {
  const { data, error } = useResource<SessionPage>('/api/sessions?limit=500', { refreshInterval: 10_000 })
  const [, params] = useRoute('/sessions/:session')
  return (
    <>
      <nav aria-label="Pages" className="flex items-center gap-1 border-b border-line p-2">
        <Link href="/" className="flex flex-1 items-center gap-2 rounded-lg px-2 py-1.5 font-medium hover:bg-line">
          <MessageSquarePlus size={16} aria-hidden /> New conversation
        </Link>
        <Link
          href="/settings"
          aria-label="Settings"
          title="Settings"
          className="rounded-lg p-2 text-soft hover:bg-line"
        >
          <Settings size={16} aria-hidden />
        </Link>
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto p-1" tabIndex={-1}>
        {error && <ErrorNote error={error} />}
        {data && (
          <Virtualizer as="ul" item="li">
            {data.sessions.map((session) => (
              <SessionRow key={session.id} session={session} current={session.id === params?.session} />
            ))}
          </Virtualizer>
        )}
      </div>
    </>
  )
}

function SessionRow({ session, current }: { readonly session: ListedSession; readonly current: boolean }): ReactNode {
  return (
    <Link
      href={`/sessions/${encodeURIComponent(session.id)}`}
      aria-current={current ? 'page' : undefined}
      className={`block truncate rounded-lg px-2 py-1.5 text-sm hover:bg-line ${current ? 'bg-line font-medium' : ''}`}
    >
      {session.title ?? 'Untitled'}
    </Link>
  )
}
