import { Check, ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { shownPlace } from '../parts/asked.ts'
import type { Part } from '../log/turn-parts.ts'
import { proposalOf } from './tool-card.tsx'
import { t } from '../language/language.ts'

/** As many calls as this are one line once they are done. */
const FOLDED_FROM = 3

interface ToolRunProps {
  readonly parts: readonly Part[]
  /** One for each part. */
  readonly children: readonly ReactNode[]
}

/**
 * Calls of tools that follow each other. Those that are done fold into a line that opens, such as `24 tool calls · read_file 18,
 * edit_file 6`. What waits, runs, or went wrong stays before the reader, and so does what the reader has opened.
 */
export function ToolRun({ parts, children }: ToolRunProps): ReactNode {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const listId = useId()
  const done = parts.filter((part) => part.type === 'tool' && isQuiet(part))
  const folds = done.length >= FOLDED_FROM
  const isHidden = (part: Part): boolean => folds && !open && isQuiet(part)

  // Nothing goes away from under a reader.
  useLayoutEffect(() => {
    if (folds && box.current?.querySelector('[hidden] :is(details[open], :focus)')) setOpen(true)
  }, [folds, done.length])
  const wanted = shownPlace.useAsked()?.toolCallId
  useEffect(() => {
    if (parts.some((part) => part.type === 'tool' && part.toolCallId === wanted)) setOpen(true)
  }, [wanted])

  return (
    <div ref={box} className="flex min-w-0 flex-col gap-2">
      {folds && (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={listId}
          className="flex min-w-0 items-center gap-2 rounded-lg border border-line bg-raised px-3 py-2 text-start text-sm"
          onClick={() => setOpen(!open)}
        >
          <Check size={15} className="shrink-0 text-good" aria-hidden />
          <span className="shrink-0 font-medium">{t`${done.length} tool calls`}</span>
          <span dir="ltr" className="min-w-0 flex-1 truncate font-mono text-[0.8125rem] text-soft">
            {namesText(done)}
          </span>
          <ChevronRight
            size={14}
            aria-hidden
            className={`shrink-0 text-soft transition-transform rtl:-scale-x-100 ${open ? 'rotate-90' : ''}`}
          />
        </button>
      )}
      <div id={listId} className="contents">
        {parts.map((part, at) => (
          <div key={at} hidden={isHidden(part)} className="min-w-0">
            {children[at]}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Whether nothing of it has to be seen: it is done, and brought neither an image nor a question. */
function isQuiet(part: Part): boolean {
  if (part.type !== 'tool') return true
  return part.state === 'done' && part.images === undefined && proposalOf(part) === undefined
}

/** `read_file 18, edit_file 6`: the tools in the order of their first calls. */
function namesText(parts: readonly Part[]): string {
  const byName = Map.groupBy(parts, (part) => (part.type === 'tool' ? part.name : ''))
  return [...byName].map(([name, own]) => (byName.size === 1 ? name : `${name} ${own.length}`)).join(', ')
}
