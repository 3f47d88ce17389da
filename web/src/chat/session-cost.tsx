import type { ReactNode } from 'react'
import useSWR from 'swr'
import { Link } from 'wouter'
import { api, type ApiError } from '../api/client.ts'
import type { CostReport } from '../api/resources.ts'
import { cacheWords, callsText, dollars } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

interface SessionCostProps {
  readonly session: string
  /** Turns that are over: the cost is read after each. */
  readonly turns: number
}

/** What the session has cost so far and what the cache saved. It leads to what that was spent on. Nothing for a model that costs nothing. */
export function SessionCost({ session, turns }: SessionCostProps): ReactNode {
  const path = `/api/costs?${new URLSearchParams({ by: 'model', limit: '1', session }).toString()}`
  const { data } = useSWR<CostReport, ApiError>(turns > 0 && [path, turns], () => api<CostReport>(path), {
    keepPreviousData: true,
  })
  if (data === undefined || data.total.calls === 0) return null
  const { money, unpriced, savedNanoDollars: saved } = data.total
  if (money === 0 && unpriced === 0) return null
  const others = unpriced > 0 ? ` ${t`without ${callsText(unpriced)}`}` : ''
  const cache = saved === 0 ? undefined : t`the cache ${cacheWords(saved / 1e9)}`
  return (
    <Link
      href={`/settings/costs?session=${encodeURIComponent(session)}`}
      title={cache}
      className="shrink-0 text-xs text-soft tabular-nums hover:text-ink"
    >
      {money === undefined ? (
        <span className="max-sm:sr-only">{t`Price not known`}</span>
      ) : (
        <>
          <span className="sr-only">{t`Cost so far:`} </span>
          {dollars(money)}
          <span className="max-sm:sr-only">{others}</span>
          {cache !== undefined && <span className="sr-only">{`, ${cache}`}</span>}
        </>
      )}
    </Link>
  )
}
