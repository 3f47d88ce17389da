import type { ReactNode } from 'react'
import { compare, forecast, type Forecast } from '../../../src/context.ts'
import { type ModelList, type ModelView, useResource } from '../api/resources.ts'
import { count, dollars } from '../parts/numbers.ts'
import { useScenario } from './call-scenario.ts'
import { usePreviousCall } from './previous-call.ts'
import type { Inspected } from './share-late-panel.tsx'
import { useAssembly } from './what-if-assembler.ts'
import type { Assembled } from './what-if-assembly.ts'

interface CostProps extends Inspected {
  readonly assembled: Assembled
  readonly model: string
}

/** What the prompt would cost: how much of it the cache of the provider has from the call before, and the money. */
export function WhatIfCost({ assembled, model, ...inspected }: CostProps): ReactNode {
  const { data: view } = useResource<ModelView>(`/api/model?id=${encodeURIComponent(model)}`)
  const { data: list } = useResource<ModelList>('/api/models')
  const before = usePreviousAssembly(inspected)
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
function usePreviousAssembly(inspected: Inspected): Assembled | undefined {
  const previous = usePreviousCall(inspected)
  const { next } = inspected
  const { data } = useScenario(previous === undefined ? undefined : { call: previous, next })
  return useAssembly(data).assembled
}

interface PriceQuestion {
  readonly assembled: Assembled
  /** The previous call, if any. */
  readonly before: Assembled | undefined
  readonly facts: ModelView['facts'] | undefined
  /** Reported ÷ estimated tokens of the model. */
  readonly ratio: number
}

/** What the prompt of a call would cost, as the gateway forecasts it. */
function priceOf({ assembled, before, facts, ratio }: PriceQuestion): Forecast {
  const reuse = before === undefined ? 0 : compare(before, assembled).commonPrefix.tokens
  return forecast({
    promptTokens: Math.round(assembled.manifest.used * ratio),
    reuseTokens: Math.round(reuse * ratio),
    ...(facts?.price ? { price: facts.price } : {}),
    ...(facts?.cache ? { cache: facts.cache } : {}),
  })
}
