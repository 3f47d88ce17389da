import { type ReactNode, useEffect, useState } from 'react'
import { api, type ApiError } from '../api/client.ts'
import type { Preview } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { ContextBar } from './context-bar.tsx'

/** How long the person has to pause before the preview follows, ms. */
const PAUSE_MS = 150

interface ContextStripProps {
  readonly session: string | undefined
  readonly draft: string
  /** Changes when a turn has ended, and with it the next call. */
  readonly settledTurns: number
  /** The turn that the next one follows. */
  readonly head: string | undefined
}

/** The context of the next call, while one types: the same assembly that the call will use. */
export function ContextStrip({ session, draft, settledTurns, head }: ContextStripProps): ReactNode {
  const [preview, setPreview] = useState<Preview>()
  const [error, setError] = useState<ApiError>()

  useEffect(() => {
    const controller = new AbortController()
    const read = async (): Promise<void> => {
      try {
        const body = {
          ...(session === undefined ? {} : { session }),
          ...(draft.trim() === '' ? {} : { input: draft }),
        }
        setPreview(await api<Preview>('/api/context', { method: 'POST', body, signal: controller.signal }))
        setError(undefined)
      } catch (failure) {
        if (!controller.signal.aborted) setError(failure as ApiError)
      }
    }
    const timer = setTimeout(() => void read(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [session, draft, settledTurns, head])

  if (error) return <ErrorNote error={error} />
  if (preview === undefined) return <div className="h-9" />
  const { used, budget } = preview.manifest
  return (
    <section aria-label="Context of the next call" className="flex flex-col gap-1">
      <ContextBar manifest={preview.manifest} />
      <p className="flex flex-wrap gap-x-3 text-xs text-soft">
        <span>
          {used.toLocaleString('en')} of {budget.available.toLocaleString('en')} tokens
        </span>
        <span>{preview.model}</span>
      </p>
    </section>
  )
}
