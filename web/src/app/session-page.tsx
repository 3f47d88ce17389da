import { lazy, type ReactNode, useEffect } from 'react'
import { type ListedSession, useResource } from '../api/resources.ts'
import { ChatPage } from '../chat/chat-page.tsx'

const ForeignPage = lazy(() => import('../foreign/foreign-page.tsx'))

interface SessionPageProps {
  readonly session: string
  /** The call that is open in the inspector. */
  readonly call: string | undefined
}

/** Nobody has typed before the first page is on the screen: only that one waits to know whose session it is. */
let isFirst = true

/** A session: the conversation, or the calls of the program that it belongs to. */
export function SessionPage({ session, call }: SessionPageProps): ReactNode {
  const { data, error } = useResource<ListedSession>(`/api/sessions/${encodeURIComponent(session)}`)
  const isKnown = data !== undefined || error !== undefined
  useEffect(() => {
    if (isKnown) isFirst = false
  }, [isKnown])
  if (data?.program) return <ForeignPage session={data} program={data.program} call={call} />
  return isKnown || !isFirst ? <ChatPage session={session} call={call} /> : null
}
