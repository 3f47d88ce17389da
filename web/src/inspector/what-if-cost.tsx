import { type ReactNode, useEffect, useState } from 'react'
import { type CallPage, type ModelList, type ModelView, useResource } from '../api/resources.ts'
import { count, dollars } from '../parts/numbers.ts'
import type { Inspected } from './share-late-panel.tsx'
import { assembleBeside } from './what-if-assembler.ts'
import type { Assembled } from './what-if-assembly.ts'
import { priceOf } from './what-if-price.ts'
import { readScenario } from './what-if-scenario.ts'

interface CostProps extends Inspected {
  readonly assembled: Assembled
  readonly model: string
}

/** What the prompt would cost: how much of it the cache of the provider has from the call before, and the money. */
export function WhatIfCost({ assembled, model, ...inspected }: CostProps): ReactNode {
  const { data: view } = useResource<ModelView>(`/api/model?id=${encodeURIComponent(model)}`)
  const { data: list } = useResource<ModelList>('/api/models')
  const before = usePreviousCall(inspected)
  const ratio = list?.models.find(({ id }) => id === model)?.calibration?.ratio ?? 1
  const { cached, written, fresh, money } = priceOf({ assembled, before, facts: view?.facts, ratio })
  return (
    <section aria-label="What the prompt would cost" className="flex flex-wrap gap-x-4 text-sm tabular-nums">
      <span>{count(cached)} cached</span>
      {written > 0 && <span>{count(written)} written</span>}
      <span>{count(fresh)} fresh</span>
      {ratio !== 1 && <span className="text-soft">as the provider counts</span>}
      <span className="font-medium">{money === undefined ? 'price not known' : dollars(money)}</span>
    </section>
  )
}

/** The assembly of the call that was made before this one: its beginning is what a cache has. */
function usePreviousCall({ session, call }: Inspected): Assembled | undefined {
  const { data } = useResource<CallPage>(
    session === undefined ? undefined : `/api/sessions/${encodeURIComponent(session)}/calls?limit=1000`,
  )
  const calls = data?.calls ?? []
  const at = call === undefined ? calls.length : calls.findIndex(({ id }) => id === call)
  const previous = calls[at - 1]?.id
  const [before, setBefore] = useState<{ readonly call: string; readonly assembled: Assembled }>()
  useEffect(() => {
    if (previous === undefined) return undefined
    let current = true
    readScenario({ session, call: previous })
      .then(assembleBeside)
      .then((assembled) => current && setBefore({ call: previous, assembled }))
      // Without it nothing counts as cached.
      .catch(() => undefined)
    return () => {
      current = false
    }
  }, [session, previous])
  return before?.call === previous ? before?.assembled : undefined
}
