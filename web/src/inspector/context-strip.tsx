import { type ReactNode, useEffect, useRef, useState } from 'react'
import { calibratedManifest, type Manifest, reasonSentence } from '../../../src/context.ts'
import { api, type ApiError } from '../api/client.ts'
import type { Preview } from '../api/resources.ts'
import { untilDone } from '../api/session-events.ts'
import { begin } from '../api/underway.ts'
import { barSegments } from './bar-segments.ts'
import { FigureLine } from './figure.tsx'
import { type NextCall, nextCallBody, nextCallKey } from './next-call.ts'
import { nextPreview } from './next-preview.ts'
import { t, translated } from '../language/language.ts'

/** How long the person has to pause before the preview follows, ms. */
const PAUSE_MS = 150

interface ContextStripProps {
  readonly next: NextCall
  /** Opens the inspector. */
  onInspect(): void
}

/** The next call on one line, while one types: the same assembly that the call will use. Its details are one click away. */
export function ContextStrip({ next, onInspect }: ContextStripProps): ReactNode {
  useNextPreview(next)
  const shown = nextPreview.useAsked()
  return (
    <section
      aria-label={t`Context of the next call`}
      className="flex min-h-6 items-baseline gap-3 px-1 text-xs text-soft sm:text-[0.8125rem]"
    >
      {shown && shown.session === next.session && (
        <div className="min-w-0">
          <StripLine {...shown} model={shown.beside && next.model} onInspect={onInspect} />
          {shown.beside && <StripLine {...shown.beside} call={`next ${shown.beside.model}`} onInspect={onInspect} />}
        </div>
      )}
      <span aria-hidden className="ms-auto shrink-0 max-lg:hidden">
        {t`↵ send · ⇧↵ new line`}
      </span>
    </section>
  )
}

interface StripLineProps extends Pick<ContextStripProps, 'onInspect'> {
  readonly preview?: Preview
  readonly error?: ApiError
  /** Named where two models are asked. */
  readonly model?: string | undefined
  readonly call?: string
}

function StripLine({ preview, error, model, call, onInspect }: StripLineProps): ReactNode {
  const name = model === undefined ? '' : `${model.slice(model.indexOf('/') + 1)}: `
  const overfull = error?.facts['manifest'] as Manifest | undefined
  if (overfull) {
    return (
      <p className="text-bad">
        {name}
        {t`It does not fit: ${overfull.used} of ${overfull.budget.available} tokens. Shorten what is longest in the bar, or choose a model with a larger window.`}
      </p>
    )
  }
  // Quiet, since it changes with what one types: what cannot be sent is said aloud when it is sent.
  if (error)
    return <p className="text-bad">{`${name}${t`What the next call would read cannot be shown. ${error.message}`}`}</p>
  if (!preview) return null
  const manifest = calibratedManifest(preview.manifest, preview.figures.total)
  const shortened = manifest.entries.find(({ layer, slot, outcome }) => {
    return layer === 'turn' && slot === 'input' && outcome === 'reduced'
  })
  return (
    <div className="min-w-0">
      <button
        type="button"
        title={t`What the model will read: ${preview.model}`}
        className="block max-w-full truncate text-start underline decoration-line underline-offset-3 hover:text-ink"
        onClick={onInspect}
      >
        <span className="sr-only">{t`What the model will read:`} </span>
        {name}
        <FigureLine call={call} figures={preview.figures} />
      </button>
      {shortened && (
        <p className="text-warn">{t`Your message: ${translated(reasonSentence(shortened, manifest) ?? t`shortened.`)}`}</p>
      )}
    </div>
  )
}

/** The next call to the scale of the window, as thin as an edge: the top of the message field. */
export function NextCallEdge(): ReactNode {
  const shown = nextPreview.useAsked()
  const manifest = shown?.preview?.manifest ?? (shown?.error?.facts['manifest'] as Manifest | undefined)
  return (
    <span aria-hidden className="absolute inset-x-3.5 top-[5px] flex h-[3px] overflow-hidden rounded-full bg-line">
      {manifest &&
        barSegments(calibratedManifest(manifest, shown?.preview?.figures.total ?? manifest.used))
          .filter(({ kind }) => kind !== 'margin' && kind !== 'reserve')
          .map(({ id, tokens, color, lighter, kind }) => (
            <span
              key={id}
              style={{
                flexGrow: tokens,
                background: color,
                opacity: lighter ? 0.75 : 1,
                minWidth: kind === 'free' ? 0 : 2,
              }}
            />
          ))}
    </span>
  )
}

/** Keeps `nextPreview` up to date. */
function useNextPreview(next: NextCall): void {
  const latest = useRef(next)
  latest.current = next
  const key = nextCallKey(next)
  const seen = useReturns()

  useEffect(() => {
    if (!next.isKnown) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const read = async (): Promise<boolean> => {
      const { session, beside } = latest.current
      const ask = async (other: object) => {
        const body = { ...nextCallBody(latest.current), ...other }
        try {
          return { preview: await api<Preview>('/api/context', { method: 'POST', body, signal }) }
        } catch (failure) {
          if (signal.aborted || (failure as ApiError).code === 'offline') throw failure
          return { error: failure as ApiError }
        }
      }
      try {
        const second = beside === undefined ? undefined : { model: beside, ...(await ask({ model: beside })) }
        nextPreview.ask({ session, ...(await ask({})), beside: second })
      } catch (failure) {
        if (!signal.aborted) throw failure
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
