import { type ReactNode, useEffect } from 'react'
import { type CostReport, useResource } from '../api/resources.ts'
import { followSessionChanges } from '../api/session-changes.ts'
import { dollars } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

/** What all calls of this month cost, where any price is known. */
export function MonthSum(): ReactNode {
  const now = new Date()
  const from = new Date(now.getFullYear(), now.getMonth(), 1).toISOString()
  const { data, mutate } = useResource<CostReport>(`/api/costs?${new URLSearchParams({ from, limit: '1' }).toString()}`)
  useEffect(() => {
    // What a turn cost is known when it is over.
    const running = new Set<string>()
    return followSessionChanges((change) => {
      if (change.type !== 'session') return
      const { id, state } = change.session
      if (state === 'works' || state === 'waits') return void running.add(id)
      if (running.delete(id)) void mutate()
    })
  }, [mutate])
  if (data?.total.money === undefined) return null
  const { money, unpriced } = data.total
  // Nothing is 0 because its price is not known.
  if (money === 0 && unpriced > 0) return null
  const words = unpriced > 0 ? t`at least ${dollars(money)} this month` : t`${dollars(money)} this month`
  return (
    <span className="truncate text-xs text-soft tabular-nums" title={words} data-figure="money" data-value={money}>
      {words}
    </span>
  )
}
