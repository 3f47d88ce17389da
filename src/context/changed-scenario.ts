import type { LayoutChanges } from './layouts.ts'
import type { Scenario } from './scenario-schema.ts'

/** What a person tries: absent is as it is. */
export interface ScenarioChanges {
  /** Tokens. */
  readonly window?: number
  /** Tokens. */
  readonly reserve?: number
  readonly layout?: string
  /** 0 to 1. */
  readonly headShare?: number
  /** 0 to 1. */
  readonly lowWater?: number
  /** By the name of a layer: only its forms whose names begin so are offered. */
  readonly forms?: Readonly<Record<string, string>>
  readonly model?: string
}

/** Whether the marks of the last cut say nothing about the changed call: it is cut as if it were the first time. */
export function forgetsCut({ window, layout, lowWater, model }: ScenarioChanges): boolean {
  return [window, layout, lowWater, model].some((change) => change !== undefined)
}

/** A scenario with changes. Without any it is the same object. */
export function changedScenario(scenario: Scenario, changes: ScenarioChanges): Scenario {
  if (Object.keys(changes).length === 0) return scenario
  const { window = scenario.budget.window, reserve = scenario.budget.reserve, forms = {} } = changes
  const { cut, ...rest } = scenario
  return {
    ...rest,
    ...(cut && !forgetsCut(changes) ? { cut } : {}),
    layout: changedLayout(scenario.layout, changes),
    budget: { ...scenario.budget, window, reserve: Math.min(reserve, window) },
    layers: scenario.layers.map((layer) => withForms(layer, forms[layer.layer])),
  }
}

function changedLayout(
  layout: Scenario['layout'],
  { layout: name, headShare, lowWater }: ScenarioChanges,
): Scenario['layout'] {
  const base = name === undefined ? layout : typeof layout === 'string' ? name : { ...layout, extends: name }
  if (headShare === undefined && lowWater === undefined) return base
  const changed: LayoutChanges = typeof base === 'string' ? { extends: base } : base
  return {
    ...changed,
    ...(headShare === undefined ? {} : { headShare }),
    ...(lowWater === undefined ? {} : { cut: { ...changed.cut, lowWater } }),
  }
}

function withForms(layer: Scenario['layers'][number], beginning: string | undefined): Scenario['layers'][number] {
  if (beginning === undefined) return layer
  const kept = (layer.renditions ?? []).filter(({ form }) => form.startsWith(beginning))
  return kept.length === 0 ? layer : { ...layer, renditions: kept }
}
