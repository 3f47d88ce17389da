import { type ReactNode, useEffect, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Conversation } from './conversation.ts'
import { TurnView } from './turn-view.tsx'

/** How far from the end a reader still follows it, in pixels. */
const FOLLOW_PX = 120

interface MessageListProps {
  readonly session: string | undefined
  readonly conversation: Conversation
}

/** The turns of a conversation. It follows the end for as long as the reader is there. */
export function MessageList({ session, conversation }: MessageListProps): ReactNode {
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const { turns } = conversation

  useEffect(() => {
    if (following.current && turns.length > 0) list.current?.scrollToIndex(turns.length - 1, { align: 'end' })
  }, [turns])

  if (session === undefined || turns.length === 0) return <Welcome />
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-y-auto px-3"
      tabIndex={0}
      role="log"
      aria-label="Conversation"
    >
      <div className="mx-auto max-w-3xl py-4">
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          onScroll={(offset) => {
            const { scrollSize = 0, viewportSize = 0 } = list.current ?? {}
            following.current = offset + viewportSize >= scrollSize - FOLLOW_PX
          }}
        >
          {turns.map((turn) => (
            <TurnView key={turn.id} session={session} turn={turn} />
          ))}
        </Virtualizer>
      </div>
    </div>
  )
}

function Welcome(): ReactNode {
  return (
    <div className="flex min-h-0 flex-1 items-center justify-center p-6 text-center text-soft">
      <p>Write a message. The bar below shows what the model will read.</p>
    </div>
  )
}
