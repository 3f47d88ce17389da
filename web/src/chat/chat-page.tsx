import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { api, type ApiError } from '../api/client.ts'
import { ContextStrip } from '../inspector/context-strip.tsx'
import { InspectorPanel } from '../inspector/inspector-panel.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { ChatHeader } from './chat-header.tsx'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'
import { useConversation } from './use-conversation.ts'

interface ChatPageProps {
  /** Absent: a new one, which begins with the first message. */
  readonly session: string | undefined
  /** The call that is open in the inspector. */
  readonly call: string | undefined
}

/** One conversation: what was said, the context of the next call, and the field for the next message. */
export function ChatPage({ session, call }: ChatPageProps): ReactNode {
  const followed = useConversation(session)
  const { conversation, connected, failure } = followed
  const [draft, setDraft] = useState('')
  const [error, setError] = useState<ApiError>()
  const [, navigate] = useLocation()
  const running = conversation.turns.findLast(({ state }) => state !== 'ended')

  const send = async (): Promise<void> => {
    setError(undefined)
    try {
      const sent = await api<{ readonly session: string }>('/api/messages', {
        method: 'POST',
        body: { text: draft, ...(session === undefined ? {} : { session }) },
        headers: { 'idempotency-key': crypto.randomUUID() },
      })
      setDraft('')
      if (session === undefined) navigate(`/sessions/${encodeURIComponent(sent.session)}`)
    } catch (failed) {
      // The draft is kept.
      setError(failed as ApiError)
    }
  }
  const stop = async (): Promise<void> => {
    if (session === undefined || running === undefined) return
    await api(`/api/sessions/${encodeURIComponent(session)}/turns/${encodeURIComponent(running.id)}/cancel`, {
      method: 'POST',
    }).catch(setError)
  }

  return (
    <div className="flex min-h-0 flex-1">
      <main id="main" className="flex min-w-0 flex-1 flex-col">
        <ChatHeader session={session} />
        <MessageList session={session} followed={followed} />
        <div className="border-t border-line bg-raised px-3 pt-2 pb-3">
          <div className="mx-auto flex max-w-3xl flex-col gap-2">
            {!connected && (
              <p role="status" className="text-sm text-warn">
                Connecting to the gateway again …
              </p>
            )}
            {(failure ?? error) && <ErrorNote error={(failure ?? error)!} />}
            <ContextStrip
              session={session}
              draft={draft}
              head={conversation.turns.at(-1)?.id}
              settledTurns={conversation.turns.filter(({ state }) => state === 'ended').length}
            />
            <Composer draft={draft} onChange={setDraft} onSend={send} onStop={running ? stop : undefined} />
          </div>
        </div>
      </main>
      <InspectorPanel session={session} call={call} />
    </div>
  )
}
