import type { ReactNode } from 'react'
import { type ListedSession, useResource } from '../api/resources.ts'
import { usePageTitle } from '../parts/page-title.ts'
import { SessionCost } from './session-cost.tsx'

interface ChatHeaderProps {
  readonly session: string | undefined
  /** Turns that are over. */
  readonly turns: number
}

export function ChatHeader({ session, turns }: ChatHeaderProps): ReactNode {
  const { data } = useResource<ListedSession>(
    session === undefined ? undefined : `/api/sessions/${encodeURIComponent(session)}`,
  )
  const title = session === undefined ? 'New conversation' : (data?.title ?? data?.opening ?? 'Untitled')
  usePageTitle(title)
  return (
    <header className="flex items-center gap-2 border-b border-line px-4 py-2 max-lg:ps-12">
      <h1 className="min-w-0 flex-1 truncate font-semibold">
        <bdi>{title}</bdi>
      </h1>
      {session !== undefined && <SessionCost key={session} session={session} turns={turns} />}
    </header>
  )
}
