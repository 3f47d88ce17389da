import { useEffect, useRef, useState } from 'react'
import { api, ApiError } from '../api/client.ts'
import type { ListedSession } from '../api/resources.ts'
import { followSessionChanges } from '../api/session-changes.ts'
import { followSession, untilDone } from '../api/session-events.ts'
import { begin } from '../api/underway.ts'
import type { Entry } from '../../../src/session.ts'
import { openTurns } from './open-turns.ts'
import { type Conversation, conversationOf, emptyConversation, withEarlier, withEvent } from '../log/conversation.ts'
import { t } from '../language/language.ts'

/** How many entries of the log are read at once: some fifty turns. */
const PAGE = 400
/** Fewer turns do not fill a window. */
const SHORT = 10

export interface FollowedConversation {
  readonly conversation: Conversation
  /** Whether the newest page of the log has been read. */
  readonly loaded: boolean
  /** Whether events arrive now. */
  readonly connected: boolean
  /** Why the session cannot be followed at all. */
  readonly failure: ApiError | undefined
  /** Reads the page of the log before the first one. Does nothing where there is none, or while one is being read. */
  loadEarlier(): void
}

const DELETED = new ApiError(404, {
  code: 'deleted',
  message: t`This session was deleted.`,
  hint: t`What you have written is kept below.`,
})

type State = Omit<FollowedConversation, 'loadEarlier'>

const start: State = { conversation: emptyConversation, loaded: false, connected: true, failure: undefined }

/**
 * Follows a session while the component is shown: first the newest page of its log, then what happens. Events that arrive
 * together are drawn together.
 */
export function useConversation(session: string | undefined): FollowedConversation {
  const [state, setState] = useState(start)
  const loadEarlier = useRef(() => {})

  useEffect(() => {
    setState({ ...start, loaded: session === undefined })
    loadEarlier.current = () => {}
    if (session === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    const path = `/api/sessions/${encodeURIComponent(session)}`
    const readPage = async (after: number, limit: number): Promise<readonly Entry[]> => {
      const address = `${path}/entries?after=${after}&limit=${limit}`
      return (await api<{ readonly entries: readonly Entry[] }>(address, { signal })).entries
    }
    let conversation = emptyConversation
    let frame: number | undefined
    let drawn = (): void => {}
    let reading = false
    const draw = (): void => {
      frame = undefined
      drawn()
      setState((before) => ({ ...before, conversation, loaded: true }))
      // The turns before a short branch may be anywhere in the log.
      if (conversation.turns.length < SHORT) loadEarlier.current()
    }

    loadEarlier.current = () => {
      if (reading || conversation.from <= 1) return
      reading = true
      let failed = false
      const after = Math.max(0, conversation.from - 1 - PAGE)
      readPage(after, conversation.from - 1 - after)
        .then((entries) => {
          conversation = withEarlier(conversation, entries)
          return draw()
        })
        .catch(() => {
          failed = true
        })
        .finally(() => {
          reading = false
          if (conversation.turns.length < SHORT && !signal.aborted && !failed) loadEarlier.current()
        })
    }

    const follow = async (): Promise<void> => {
      const readNewest = async (): Promise<boolean> => {
        const { entries } = await api<ListedSession>(path, { signal })
        conversation = conversationOf(await readPage(Math.max(0, entries - PAGE), PAGE))
        return true
      }
      await untilDone(readNewest, signal, () => setState((before) => ({ ...before, connected: false })))
      if (signal.aborted) return
      draw()
      await followSession(session, {
        signal,
        ...(conversation.lastEvent === undefined ? {} : { after: conversation.lastEvent }),
        onEvent(event) {
          conversation = withEvent(conversation, event, Date.now())
          // A page in the background draws no frames, so a timer takes their place there.
          if (frame !== undefined) return
          drawn = begin()
          frame = document.hidden ? window.setTimeout(draw, 250) : requestAnimationFrame(draw)
        },
        onConnected: (connected) => setState((before) => ({ ...before, connected })),
      })
    }
    follow().catch((failure: ApiError) => {
      if (!signal.aborted) setState((before) => ({ ...before, failure, connected: true }))
    })
    const stop = followSessionChanges((change) => {
      if (change.type !== 'deleted' || change.id !== session) return
      controller.abort()
      setState((before) => ({ ...before, failure: DELETED, connected: true }))
    })
    return () => {
      stop()
      controller.abort()
      if (frame !== undefined) cancelAnimationFrame(frame)
      drawn()
    }
  }, [session])

  const { conversation, connected } = state
  const works = connected && isAtWork(conversation)
  useEffect(() => (works ? begin() : undefined), [works])
  useEffect(() => {
    document.documentElement.dataset['seq'] = String(conversation.seq)
  }, [conversation])

  return { ...state, loadEarlier: () => loadEarlier.current() }
}

/** Whether a turn goes on by itself: it does not while all that is open in it waits for a person, or for the next attempt. */
function isAtWork(conversation: Conversation): boolean {
  const { running } = openTurns(conversation)
  if (running === undefined || running.held || running.retry || running.interrupted !== undefined) return false
  const open = running.parts.flatMap((part) => (part.type === 'tool' && OPEN.has(part.state) ? [part.state] : []))
  return open.length === 0 || open.some((state) => state !== 'waiting')
}

const OPEN: ReadonlySet<string> = new Set(['asked', 'waiting', 'running'])
