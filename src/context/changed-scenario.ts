import type { LayoutChanges } from './layouts.ts'
import type { Scenario } from './scenario-schema.ts'

/** `skills.contextMode` of the configuration. */
export type SkillsMode = 'auto' | 'full' | 'readOnDemand'

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
  readonly skills?: SkillsMode
  readonly model?: string
}

/** Whether the marks of the last cut say nothing about the changed call: it is cut as if it were the first time. */
export function cutsAnew({ window, layout, lowWater, model }: ScenarioChanges): boolean {
  return [window, layout, lowWater, model].some((change) => change !== undefined)
}

/** A scenario with changes. Without any it is the same object. */
export function changedScenario(scenario: Scenario, changes: ScenarioChanges): Scenario {
  if (Object.keys(changes).length === 0) return scenario
  const { window = scenario.budget.window, reserve = scenario.budget.reserve, skills = 'auto' } = changes
  const { cut, ...rest } = scenario
  return {
    ...rest,
    ...(cut && !cutsAnew(changes) ? { cut } : {}),
    layout: changedLayout(scenario.layout, changes),
    budget: { ...scenario.budget, window, reserve: Math.min(reserve, window) },
    layers: scenario.layers.map((layer) => (layer.layer === 'skills' ? offered(layer, skills) : layer)),
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

function offered(layer: Scenario['layers'][number], mode: SkillsMode): Scenario['layers'][number] {
  const { renditions = [] } = layer
  if (mode === 'auto') return layer
  const kept = renditions.filter(({ form }) => (mode === 'full' ? form === 'full' : isSkillList(form)))
  return kept.length === 0 ? layer : { ...layer, renditions: kept }
}

/** Whether a form of skills is a list of them, which are read on demand. */
export function isSkillList(form: string): boolean {
  return form.startsWith('list')
}
