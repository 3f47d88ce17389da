import { type ReactNode, useEffect, useRef, useState } from 'react'
import { api, type ApiError } from '../api/client.ts'
import type { Preview } from '../api/resources.ts'
import { type Manifest, reasonSentence } from '../../../src/context.ts'
import { untilDone } from '../api/session-events.ts'
import { begin } from '../api/underway.ts'
import { CostLine } from './cost-line.tsx'
import type { BarSegment } from './bar-segments.ts'
import { ContextBar } from './context-bar.tsx'
import { count } from '../parts/numbers.ts'
import { type NextCall, nextCallBody, nextCallKey } from './next-call.ts'
import { shownEntry } from './shown-entry.ts'

/** How long the person has to pause before the preview follows, ms. */
const PAUSE_MS = 150

interface ContextStripProps {
  readonly next: NextCall
  /** Opens the inspector where it is not beside the conversation. */
  onInspect(): void
}

/** The context of the next call, while one types: the same assembly that the call will use. */
export function ContextStrip({ next, onInspect }: ContextStripProps): ReactNode {
  const [preview, setPreview] = useState<Preview>()
  const [error, setError] = useState<ApiError>()
  const latest = useRef(next)
  latest.current = next
  const key = nextCallKey(next)
  const seen = useReturns()

  useEffect(() => {
    if (!next.isKnown) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const read = async (): Promise<boolean> => {
      try {
        setPreview(await api<Preview>('/api/context', { method: 'POST', body: nextCallBody(latest.current), signal }))
        setError(undefined)
      } catch (failure) {
        if (signal.aborted) return true
        if ((failure as ApiError).code === 'offline') throw failure
        setError(failure as ApiError)
      }
      return true
    }
    // What the gateway said last stays while it is away, which is told beside the message field.
    const paused = begin()
    const timer = setTimeout(() => {
      void untilDone(read, signal, () => {})
      paused()
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      paused()
      controller.abort()
    }
  }, [next.isKnown, key, seen])

  const open = ({ id }: BarSegment): void => {
    shownEntry.ask({ call: undefined, id })
    onInspect()
  }
  const overfull = error?.facts['manifest'] as Manifest | undefined
  if (overfull) {
    return (
      <section aria-label="Context of the next call" className="flex flex-col gap-1">
        <ContextBar manifest={overfull} label="Pieces of the next call" onOpen={open} />
        <p className="text-xs text-bad">
          {`It does not fit: ${count(overfull.used)} of ${count(overfull.budget.available)} tokens. ` +
            'Shorten what is longest in the bar, or choose a model with a larger window.'}
        </p>
      </section>
    )
  }
  if (error) {
    // Quiet, since it changes with what one types: what cannot be sent is said aloud when it is sent.
    return <p className="py-1 text-xs text-bad">{`What the next call would read cannot be shown. ${error.message}`}</p>
  }
  if (preview === undefined) return <div className="h-9" />
  const { used, budget } = preview.manifest
  const shortened = preview.manifest.entries.find(({ layer, slot, outcome }) => {
    return layer === 'turn' && slot === 'input' && outcome === 'reduced'
  })
  return (
    <section aria-label="Context of the next call" className="flex flex-col gap-1">
      <ContextBar manifest={preview.manifest} label="Pieces of the next call" onOpen={open} />
      <CostLine manifest={preview.manifest} />
      {shortened && (
        <p className="text-xs text-warn">{`Your message: ${reasonSentence(shortened, preview.manifest) ?? 'shortened.'}`}</p>
      )}
      <p className="flex flex-wrap gap-x-3 text-xs text-soft">
        <span>
          {used.toLocaleString('en')} of {budget.available.toLocaleString('en')} tokens
        </span>
        <span className="max-w-full truncate" title={preview.model}>
          {preview.model}
        </span>
        <button type="button" className="ms-auto underline hover:text-ink xl:hidden" onClick={onInspect}>
          What the model will read
        </button>
      </p>
    </section>
  )
}

/** Counts how often the person came back to this window: files and settings may have changed meanwhile. */
function useReturns(): number {
  const [returns, setReturns] = useState(0)
  useEffect(() => {
    const back = (): void => setReturns((before) => before + 1)
    addEventListener('focus', back)
    return () => removeEventListener('focus', back)
  }, [])
  return returns
}
