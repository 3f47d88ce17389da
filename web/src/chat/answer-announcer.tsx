import { type ReactNode, useEffect, useRef } from 'react'
import type { Turn } from './conversation.ts'

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

/** What a screen reader has been told of a conversation. */
export interface Spoken {
  readonly turn: string | undefined
  /** Characters of the answer. */
  readonly length: number
  readonly ended: boolean
  /** Ids of the tool calls that wait for a person. */
  readonly asked: readonly string[]
}

/** Characters after which a paragraph is announced in pieces. */
const LONGEST = 600

/**
 * What is to be told of the newest turn: whole paragraphs of its answer, never single words, and what a person has to decide.
 * `told` is what was told of it before; of a conversation that was just opened, all that it has.
 */
export function nextSpoken(turn: Turn | undefined, told: Spoken): { readonly text: string; readonly told: Spoken } {
  if (turn === undefined) return { text: '', told }
  const before = turn.id === told.turn ? told : { turn: turn.id, length: 0, ended: false, asked: [] }
  const whole = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
  const ended = turn.state === 'ended'
  const end = ended ? whole.length : Math.max(before.length, endOfParagraph(whole, before.length))
  const waiting = turn.parts.flatMap((part) => (part.type === 'tool' && part.state === 'waiting' ? [part] : []))
  const asked = waiting.filter(({ toolCallId }) => !before.asked.includes(toolCallId))
  const said = [
    whole.slice(before.length, end).trim(),
    ...asked.map(({ name }) => `${name} waits for your decision.`),
    ...(ended && !before.ended ? ['End of the answer.'] : []),
  ].filter((part) => part !== '')
  return {
    text: said.join('\n'),
    told: { turn: turn.id, length: end, ended, asked: waiting.map(({ toolCallId }) => toolCallId) },
  }
}

/** Where the last whole paragraph ends, or the last sentence of one that grows long; -1 where none does. */
function endOfParagraph(text: string, from: number): number {
  const paragraph = text.lastIndexOf('\n\n')
  if (paragraph > from || text.length - from < LONGEST) return paragraph
  return text.lastIndexOf('. ') + 1
}
