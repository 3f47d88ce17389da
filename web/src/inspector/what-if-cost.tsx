import type { ReactNode } from 'react'
import useSWR from 'swr'
import { type CallFigures, calibratedTokens, type Manifest } from '../../../src/context.ts'
import { api, type ApiError } from '../api/client.ts'
import type { Preview } from '../api/resources.ts'
import { price } from '../parts/numbers.ts'
import { useLate } from '../parts/use-now.ts'
import { Figure, type FigureProps } from './figure.tsx'
import { nextCallBody, nextCallKey } from './next-call.ts'
import { nextPreview } from './next-preview.ts'
import { useAccount } from './previous-call.ts'
import type { Inspected } from './inspected.ts'
import type { Assembled } from './what-if-assembly.ts'
import { type Changes, scenarioChanges } from './what-if-changes.ts'
import { t } from '../language/language.ts'

/** The figures of the call, as it is and with the changes: `undefined` while they are read. */
interface TriedFigures {
  readonly now: CallFigures | undefined
  readonly tried: CallFigures | undefined
}

/**
 * Without a change, the figures that every other place shows. With one, those that the gateway forecasts for the next call; of a
 * call that was made nobody can say what a cache would have had.
 */
export function useTriedFigures(
  inspected: Inspected,
  changes: Changes,
  history: number | undefined,
  assembled: Assembled | undefined,
  unchanged: Manifest | undefined,
): TriedFigures {
  const { call, next } = inspected
  const made = useAccount(call)?.figures
  const asked = nextPreview.useAsked()
  const now = call === undefined ? asked?.preview?.figures : made
  const isChanged = Object.keys(changes).length > 0
  const late = useLate(JSON.stringify([nextCallKey(next), changes, history]), PAUSE_MS)
  const { data } = useSWR<Preview, ApiError>(
    call === undefined && isChanged ? ['tried', late] : undefined,
    () => {
      const { model, ...others } = changes
      const body = {
        ...nextCallBody(next),
        changes: scenarioChanges(others),
        ...(model !== undefined && { model }),
        ...(history !== undefined && { history }),
      }
      return api<Preview>('/api/context', { method: 'POST', body })
    },
    { keepPreviousData: true },
  )
  if (!isChanged) return { now, tried: now }
  if (call === undefined) return { now, tried: data?.figures }
  if (!now || !assembled || !unchanged) return { now, tried: undefined }
  const { manifest } = assembled
  const total = calibratedTokens(manifest.used, now.total, unchanged.used)
  return { now, tried: { basis: 'counted', total, window: manifest.budget.window } }
}

/** How long the person has to pause before the gateway is asked, ms. */
const PAUSE_MS = 150

interface CostProps {
  readonly call: string | undefined
  readonly figures: CallFigures
  /** The figures are those of the call as it is. */
  readonly isSame: boolean
}

/** What the prompt would cost: how much of it the cache of the provider has from the call before, and the money. */
export function WhatIfCost({ call, figures, isSame }: CostProps): ReactNode {
  const { cached, written, fresh, money } = figures
  // Figures of something that is only tried are of no call.
  const Shown = isSame ? Figure : Plain
  return (
    <section aria-label={t`What the prompt would cost`} className="flex flex-wrap gap-x-4 text-sm tabular-nums">
      {cached === undefined ? (
        <span className="text-soft">{t`What a cache would have had of it is not known.`}</span>
      ) : (
        <Shown kind="cached" call={call} value={cached}>{t`${cached} from the cache`}</Shown>
      )}
      {written !== undefined && written > 0 && (
        <Shown kind="written" call={call} value={written}>{t`${written} written`}</Shown>
      )}
      {fresh !== undefined && <Shown kind="fresh" call={call} value={fresh}>{t`${fresh} new`}</Shown>}
      {(money !== undefined || cached !== undefined) && (
        <Shown kind="money" call={call} value={money} className="font-medium">
          {money === undefined ? t`price not known` : price(money)}
        </Shown>
      )}
    </section>
  )
}

function Plain({ children, className }: FigureProps): ReactNode {
  return <span className={className}>{children}</span>
}
