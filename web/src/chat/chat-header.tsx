import type { ReactNode } from 'react'
import { type ListedSession, useResource } from '../api/resources.ts'

/** The title of the conversation. */
export function ChatHeader({ session }: { readonly session: string | undefined }): ReactNode {
  const { data } = useResource<ListedSession>(
    session === undefined ? undefined : `/api/sessions/${encodeURIComponent(session)}`,
  )
  return (
    <header className="flex items-center gap-2 border-b border-line px-4 py-2">
      <h1 className="min-w-0 flex-1 truncate font-semibold">
        {session === undefined ? 'New conversation' : (data?.title ?? data?.opening ?? 'Untitled')}
      </h1>
    </header>
  )
}
