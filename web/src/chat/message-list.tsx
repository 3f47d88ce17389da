import { ArrowDown } from 'lucide-react'
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { IconButton } from '../parts/button.tsx'
import { late } from '../parts/late.tsx'
import { type SetupOptions, useResource } from '../api/resources.ts'
import type { NextCall } from '../inspector/next-call.ts'
import { Spinner } from '../parts/spinner.tsx'
import { AnswerAnnouncer } from './answer-announcer.tsx'
import type { Turn } from '../log/conversation.ts'
import { FirstMessage } from './first-message.tsx'
import { answersBeside, openTurns } from './open-turns.ts'
import { TurnView } from './turn-view.tsx'
import type { FollowedConversation } from './use-conversation.ts'
import { useShownPlace } from './use-shown-place.ts'
import { t } from '../language/language.ts'

/** How near the beginning earlier turns are read, in pixels. */
const EARLIER_PX = 1_500

interface MessageListProps {
  readonly session: string | undefined
  readonly followed: FollowedConversation
  readonly toEnd: RefObject<() => void>
  readonly next: NextCall
  /** Opens the choice of files. */
  onFiles(): void
  /** Opens the inspector. */
  onInspect(): void
}

const AnswerPair = late(() => import('./answer-pair.tsx'))
const StartPage = late(
  () => import('../setup/start-page.tsx'),
  () => <Blank>{null}</Blank>,
)

/**
 * The turns of a conversation: those near the window exist in the page. It follows the end for as long as the reader is
 * there, and reads earlier turns when the reader comes near the beginning of those that it has.
 */
export function MessageList({ session, followed, toEnd, next, ...begin }: MessageListProps): ReactNode {
  const { conversation, loaded, loadEarlier } = followed
  const { turns: path } = conversation
  const turns = useMemo(() => withoutWaiting(path, openTurns(conversation).queued), [conversation, path])
  const pair = answersBeside(conversation, turns.at(-1))
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const end = useFollowEnd(scroller, pair ?? turns)
  useImperativeHandle(toEnd, () => end.toEnd, [end.toEnd])
  const first = useRef<string>(undefined)
  // Turns that are put in front of the others must not move those that are being read.
  const shifted =
    first.current !== undefined && turns[0]?.id !== first.current && turns.some(({ id }) => id === first.current)
  useLayoutEffect(() => {
    first.current = turns[0]?.id
  }, [turns])

  useShownPlace(session, followed, list)

  if (!loaded) return <Blank>{followed.failure === undefined && <Spinner label={t`Reading the conversation`} />}</Blank>
  if (session === undefined || turns.length === 0) return <Welcome next={next} {...begin} />

  const onScroll = (offset: number): void => {
    end.onScroll()
    if (offset < EARLIER_PX) loadEarlier()
  }

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <h2 className="sr-only">{t`Conversation`}</h2>
      <AnswerAnnouncer turn={turns.at(-1)} />
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-y-auto px-3 [overflow-anchor:none]"
        tabIndex={0}
        role="log"
        // Told paragraph by paragraph instead of word by word.
        aria-live="off"
        aria-label={t`Conversation`}
      >
        <div className="mx-auto max-w-176 py-4">
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            shift={shifted}
            onScroll={onScroll}
            // An answer that grows faster than it is measured would be taken for one above the window, and be drawn from its beginning.
            keepMounted={[turns.length - 1]}
          >
            {(pair ? turns.slice(0, -1) : turns).map((turn) => (
              <TurnView key={turn.id} session={session} turn={turn} />
            ))}
            {pair && <AnswerPair key={pair[0]!.id} session={session} turns={pair} head={turns.at(-1)!.id} />}
          </Virtualizer>
        </div>
      </div>
      {end.away && (
        <IconButton
          label={t`To the newest`}
          className="absolute end-4 bottom-3 border border-line bg-raised shadow-md"
          onClick={end.toEnd}
        >
          <ArrowDown size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

/** Those that wait behind another, of whatever branch, are listed above the message field, where they can be changed. */
function withoutWaiting(turns: readonly Turn[], queued: readonly Turn[]): readonly Turn[] {
  const waiting = new Set(queued.flatMap(({ id, state }) => (state === 'queued' ? [id] : [])))
  return waiting.size === 0 ? turns : turns.filter(({ id }) => !waiting.has(id))
}

/** An empty conversation; while no model is attached, the page of the first minute in its place. */
function Welcome({ next, ...begin }: Pick<MessageListProps, 'next' | 'onFiles' | 'onInspect'>): ReactNode {
  const { data } = useResource<SetupOptions>('/api/setup')
  if (data === undefined) return <Blank>{null}</Blank>
  if (data.ready) return <FirstMessage {...begin} />
  return <StartPage next={next} providers={data.providers} />
}

function Blank({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="flex min-h-0 flex-1 items-center justify-center p-6 text-center text-soft">{children}</div>
}

/** How far from the end a reader still follows it, in pixels. */
const FOLLOW_PX = 120

interface FollowedEnd {
  /** Whether the reader has left the end. */
  readonly away: boolean
  /** To be called for every movement of the scroller. */
  onScroll(): void
  toEnd(): void
}

/**
 * Keeps a scroller at its end for as long as the reader is there: while rows come, grow and are measured, and while the window
 * changes. A reader who moves away is never pulled back. `rows` is what the scroller shows.
 */
function useFollowEnd(scroller: RefObject<HTMLElement | null>, rows: readonly unknown[]): FollowedEnd {
  const following = useRef(true)
  const last = useRef({ top: 0, bottom: 0 })
  const [away, setAway] = useState(false)
  const shown = rows.length > 0

  /**
   * Rows that grow below leave the place as it is: only a reader moves up. A window that becomes higher moves its upper edge,
   * where nothing is below, and its lower one stays.
   */
  const look = useCallback((): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {}
    const { top, bottom } = last.current
    const near = scrollHeight - scrollTop - clientHeight < FOLLOW_PX
    const movedUp = scrollTop < top - 1 && scrollTop + clientHeight < bottom - 1
    following.current = near || (following.current && !movedUp)
    last.current = { top: scrollTop, bottom: scrollTop + clientHeight }
    setAway(!following.current)
  }, [scroller])

  const toEnd = useCallback((): void => {
    const element = scroller.current
    if (element === null) return
    following.current = true
    element.scrollTop = element.scrollHeight
    last.current = { top: element.scrollTop, bottom: element.scrollTop + element.clientHeight }
    setAway(false)
  }, [scroller])

  const follow = useCallback((): void => {
    // The reader may have moved, and the event of it not have come.
    look()
    if (following.current) toEnd()
  }, [look, toEnd])

  useLayoutEffect(follow, [follow, rows])

  useEffect(() => {
    const element = scroller.current
    const list = element?.firstElementChild?.firstElementChild
    if (!shown || !element || !list) return
    // The list of rows on the screen has the height of all, which it corrects as soon as it has measured some.
    const measured = new MutationObserver(follow)
    measured.observe(list, { attributes: true, attributeFilter: ['style'] })
    const resized = new ResizeObserver(follow)
    resized.observe(element)
    return () => {
      measured.disconnect()
      resized.disconnect()
    }
  }, [follow, scroller, shown])

  return { away, onScroll: look, toEnd }
}
