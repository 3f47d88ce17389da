import { ArrowDown } from 'lucide-react'
import { type ReactNode, type RefObject, useImperativeHandle, useLayoutEffect, useMemo, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { IconButton } from '../parts/icon-button.tsx'
import { StartPage } from '../setup/start-page.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { AnswerAnnouncer } from './answer-announcer.tsx'
import type { Turn } from './conversation.ts'
import { TurnView } from './turn-view.tsx'
import type { FollowedConversation } from './use-conversation.ts'
import { useFollowEnd } from './use-follow-end.ts'
import { useShownPlace } from './use-shown-place.ts'

/** How near the beginning earlier turns are read, in pixels. */
const EARLIER_PX = 1_500

interface MessageListProps {
  readonly session: string | undefined
  readonly followed: FollowedConversation
  readonly toEnd: RefObject<() => void>
}

/**
 * The turns of a conversation: those near the window exist in the page. It follows the end for as long as the reader is
 * there, and reads earlier turns when the reader comes near the beginning of those that it has.
 */
export function MessageList({ session, followed, toEnd }: MessageListProps): ReactNode {
  const { conversation, loaded, loadEarlier } = followed
  const { turns: path } = conversation
  const turns = useMemo(() => withoutWaiting(path), [path])
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const end = useFollowEnd(scroller, turns)
  useImperativeHandle(toEnd, () => end.toEnd, [end.toEnd])
  const first = useRef<string>(undefined)
  // Turns that are put in front of the others must not move those that are being read.
  const shifted =
    first.current !== undefined && turns[0]?.id !== first.current && turns.some(({ id }) => id === first.current)
  useLayoutEffect(() => {
    first.current = turns[0]?.id
  }, [turns])

  useShownPlace(session, followed, list)

  if (!loaded) return <Blank>{followed.failure === undefined && <Spinner label="Reading the conversation" />}</Blank>
  if (session === undefined || turns.length === 0) return <Welcome />

  const onScroll = (offset: number): void => {
    end.onScroll()
    if (offset < EARLIER_PX) loadEarlier()
  }

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <h2 className="sr-only">Conversation</h2>
      <AnswerAnnouncer turn={turns.at(-1)} />
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-y-auto px-3 [overflow-anchor:none]"
        tabIndex={0}
        role="log"
        // Told paragraph by paragraph instead of word by word.
        aria-live="off"
        aria-label="Conversation"
      >
        <div className="mx-auto max-w-3xl py-4">
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            shift={shifted}
            onScroll={onScroll}
            // An answer that grows faster than it is measured would be taken for one above the window, and be drawn from its beginning.
            keepMounted={[turns.length - 1]}
          >
            {turns.map((turn) => (
              <TurnView key={turn.id} session={session} turn={turn} />
            ))}
          </Virtualizer>
        </div>
      </div>
      {end.away && (
        <IconButton
          label="To the newest"
          className="absolute end-4 bottom-3 border border-line bg-raised shadow-md"
          onClick={end.toEnd}
        >
          <ArrowDown size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

/** Those that wait behind another are listed above the message field, where they can be changed. */
function withoutWaiting(turns: readonly Turn[]): readonly Turn[] {
  const first = turns.findIndex(({ state }) => state !== 'ended')
  return first === -1 ? turns : turns.filter(({ state }, index) => index <= first || state !== 'queued')
}

function Welcome(): ReactNode {
  return (
    <StartPage>
      <Blank>Write a message. The bar below shows what the model will read.</Blank>
    </StartPage>
  )
}

function Blank({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="flex min-h-0 flex-1 items-center justify-center p-6 text-center text-soft">{children}</div>
}
