import { ArrowDown } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { IconButton } from '../parts/icon-button.tsx'
import { StartPage } from '../setup/start-page.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { TurnView } from './turn-view.tsx'
import type { FollowedConversation } from './use-conversation.ts'
import { useShownPlace } from './use-shown-place.ts'

/** How far from the end a reader still follows it, and how near the beginning earlier turns are read, in pixels. */
const FOLLOW_PX = 120
const EARLIER_PX = 1_500

interface MessageListProps {
  readonly session: string | undefined
  readonly followed: FollowedConversation
}

/**
 * The turns of a conversation: those near the window exist in the page. It follows the end for as long as the reader is
 * there, and reads earlier turns when the reader comes near the beginning of those that it has.
 */
export function MessageList({ session, followed }: MessageListProps): ReactNode {
  const { conversation, loaded, loadEarlier } = followed
  const { turns } = conversation
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const [away, setAway] = useState(false)
  const first = useRef<string>(undefined)
  // Turns that are put in front of the others must not move those that are being read.
  const shifted =
    first.current !== undefined && turns[0]?.id !== first.current && turns.some(({ id }) => id === first.current)
  useLayoutEffect(() => {
    first.current = turns[0]?.id
    if (following.current && turns.length > 0) list.current?.scrollToIndex(turns.length - 1, { align: 'end' })
  }, [turns])

  useShownPlace(followed, list, () => (following.current = false))

  if (!loaded) return <Blank>{followed.failure === undefined && <Spinner label="Reading the conversation" />}</Blank>
  if (session === undefined || turns.length === 0) return <Welcome />

  const onScroll = (offset: number): void => {
    const { scrollSize = 0, viewportSize = 0 } = list.current ?? {}
    following.current = offset + viewportSize >= scrollSize - FOLLOW_PX
    setAway(!following.current)
    if (offset < EARLIER_PX) loadEarlier()
  }

  const toEnd = (): void => list.current?.scrollToIndex(turns.length - 1, { align: 'end' })

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-y-auto px-3 [overflow-anchor:none]"
        tabIndex={0}
        role="log"
        aria-label="Conversation"
      >
        <div className="mx-auto max-w-3xl py-4">
          <Virtualizer ref={list} scrollRef={scroller} shift={shifted} onScroll={onScroll}>
            {turns.map((turn) => (
              <TurnView key={turn.id} session={session} turn={turn} />
            ))}
          </Virtualizer>
        </div>
      </div>
      {away && (
        <IconButton
          label="To the newest"
          className="absolute end-4 bottom-3 border border-line bg-raised shadow-md"
          onClick={toEnd}
        >
          <ArrowDown size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  )
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
