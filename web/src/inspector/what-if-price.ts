import { compare, forecast, type Forecast } from '../../../src/context.ts'
import type { ModelView } from '../api/resources.ts'
import type { Assembled } from './what-if-assembly.ts'

interface PriceQuestion {
  readonly assembled: Assembled
  /** The previous call, if any. */
  readonly before: Assembled | undefined
  readonly facts: ModelView['facts'] | undefined
  /** Reported ÷ estimated tokens of the model. */
  readonly ratio: number
}

/** What the prompt of a call would cost, as the gateway forecasts it. */
export function priceOf({ assembled, before, facts, ratio }: PriceQuestion): Forecast {
  const reuse = before === undefined ? 0 : compare(before, assembled).commonPrefix.tokens
  return forecast({
    promptTokens: Math.round(assembled.manifest.used * ratio),
    reuseTokens: Math.round(reuse * ratio),
    ...(facts?.price ? { price: facts.price } : {}),
    ...(facts?.cache ? { cache: facts.cache } : {}),
  })
}
