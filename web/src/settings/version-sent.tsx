import type { ReactNode } from 'react'
import useSWR from 'swr'
import { calibratedManifest, type Scenario } from '../../../src/context.ts'
import { type ApiError, api } from '../api/client.ts'
import type { Preview } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { ExactText } from '../parts/long-text.tsx'
import { Fold } from '../parts/fold.tsx'
import { t } from '../language/language.ts'

interface SentLayerProps {
  /** The id of a layer of the next call, such as `system-prompt`. */
  readonly layer: string
  /** What the next call is asked for with: a `system` prompt, or what its session has chosen. */
  readonly body: Readonly<Record<string, string>>
  /** Changes when what is sent may have changed. */
  readonly version: string | number
  /** Shown where nothing of it is sent. Absent: nothing is shown. */
  readonly none?: string
  /** What it is, before its tokens. */
  readonly title?: string
}

/** What the next call of a new session would be sent of a layer: its tokens, and its exact text. */
export function SentLayer({ layer, body, version, none, title }: SentLayerProps): ReactNode {
  const { data, error } = useSWR<Sent, ApiError>(['sent', layer, body, version], () => readSent(layer, body), {
    keepPreviousData: true,
  })
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return null
  const { tokens, window, model, text } = data
  if (tokens === 0) return none === undefined ? null : <p className="text-sm text-soft">{none}</p>
  return (
    <Fold
      className="text-sm"
      summaryClassName="text-soft"
      summary={`${title === undefined ? '' : `${title}: `}${t`${tokens} tokens in each request, of a window of ${window} (${model})`}`}
    >
      <div className="mt-2">
        <ExactText
          label={title === undefined ? t`As the model reads it` : t`${title}, as the model reads it`}
          text={text}
        />
      </div>
    </Fold>
  )
}

interface Sent {
  readonly tokens: number
  readonly window: number
  readonly model: string
  readonly text: string
}

async function readSent(layer: string, body: SentLayerProps['body']): Promise<Sent> {
  const [{ manifest, figures, model }, { layers }] = await Promise.all([
    api<Preview>('/api/context', { method: 'POST', body }),
    api<Scenario>('/api/context/scenario', { method: 'POST', body }),
  ])
  const entry = calibratedManifest(manifest, figures.total).entries.find(({ id }) => id === layer)
  const { renditions, text } = layers.find(({ id }) => id === layer) ?? {}
  const sent = renditions?.find(({ form }) => form === entry?.form) ?? renditions?.[0]
  return { model, tokens: entry?.tokens ?? 0, window: manifest.budget.window, text: text ?? sent?.text ?? '' }
}
