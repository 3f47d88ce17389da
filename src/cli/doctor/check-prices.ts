import type { Finding } from '../../capability.ts'
import { type ModelConfiguration, priceProblems } from '../../model.ts'
import { warning } from './finding.ts'

/** Prices and rules of caches in the configuration that contradict themselves. No findings where none do. */
export function checkPrices(models: Readonly<Record<string, ModelConfiguration>>): readonly Finding[] {
  return Object.entries(models).flatMap(([id, facts]) =>
    priceProblems(facts).map((problem) =>
      warning(
        'prices',
        `models."${id}".${problem}`,
        'Correct it in config.json; `foreword models --prices` shows all of them.',
      ),
    ),
  )
}
