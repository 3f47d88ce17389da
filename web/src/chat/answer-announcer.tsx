import { type ReactNode, useEffect, useRef } from 'react'
import type { Turn } from '../log/conversation.ts'
import { nextSpoken, type Spoken } from './spoken-answer.ts'

/**
 * Tells a screen reader what is answered, paragraph by paragraph. What was there when the conversation was opened is not told.
 * The region stands in a closed tree of its own: whatever else looks for words in the page finds those of an answer once.
 */
export function AnswerAnnouncer({ turn }: { readonly turn: Turn | undefined }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const region = useRef<HTMLElement>(undefined)
  const told = useRef<Spoken>(undefined)

  useEffect(() => {
    const host = document.createElement('div')
    const made = document.createElement('div')
    made.ariaLive = 'polite'
    made.dir = 'auto'
    host.attachShadow({ mode: 'closed' }).append(made)
    place.current?.append(host)
    region.current = made
    return () => host.remove()
  }, [])

  useEffect(() => {
    const first = told.current === undefined
    const next = nextSpoken(turn, told.current ?? { turn: undefined, length: 0, ended: false, asked: [] })
    told.current = next.told
    if (!first && next.text !== '' && region.current) region.current.textContent = next.text
  }, [turn])

  return <div ref={place} className="sr-only" />
}
