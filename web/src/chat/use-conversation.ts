import { useEffect, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { followSession } from '../api/session-events.ts'
import { type Conversation, emptyConversation, withEvent } from './conversation.ts'

export interface FollowedConversation {
  readonly conversation: Conversation
  /** Whether events arrive now. */
  readonly connected: boolean
  /** Why the session cannot be followed at all. */
  readonly failure: ApiError | undefined
}

const start: FollowedConversation = { conversation: emptyConversation, connected: true, failure: undefined }

/** Follows a session while the component is shown. Events that arrive together are drawn together. */
export function useConversation(session: string | undefined): FollowedConversation {
  const [state, setState] = useState(start)

  useEffect(() => {
    setState(start)
    if (session === undefined) return
    const controller = new AbortController()
    let conversation = emptyConversation
    let frame = 0
    const draw = (): void => {
      frame = 0
      setState((before) => ({ ...before, conversation }))
    }
    followSession(session, {
      signal: controller.signal,
      onEvent(event) {
        conversation = withEvent(conversation, event, Date.now())
        // A page in the background draws no frames, so a timer takes their place there.
        frame ||= document.hidden ? window.setTimeout(draw, 250) : requestAnimationFrame(draw)
      },
      onConnected: (connected) => setState((before) => ({ ...before, connected })),
    }).catch((failure: ApiError) => setState((before) => ({ ...before, failure, connected: false })))
    return () => {
      controller.abort()
      cancelAnimationFrame(frame)
    }
  }, [session])

  return state
}
