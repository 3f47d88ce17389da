import { layoutOf, type LayoutChanges, type Scenario } from '../../../src/context.ts'

/** `skills.contextMode` of the configuration. */
export type SkillsMode = 'auto' | 'full' | 'readOnDemand'

/** What a person tries: absent is as it is. */
export interface Changes {
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

export interface Settings extends Required<Omit<Changes, 'skills' | 'model'>> {
  readonly model: string
}

export function settingsOf({ layout, budget, model = '' }: Scenario): Settings {
  const { headShare, cut } = layoutOf(layout)
  const name = typeof layout === 'string' ? layout : layout.extends
  return { window: budget.window, reserve: budget.reserve, layout: name, headShare, lowWater: cut.lowWater, model }
}

/** Whether the marks of the last cut say nothing about the changed call: it is cut as if it were the first time. */
export function cutsAnew({ window, layout, lowWater, model }: Changes): boolean {
  return [window, layout, lowWater, model].some((change) => change !== undefined)
}

/** A scenario with changes. Without any it is the same object. */
export function changedScenario(scenario: Scenario, changes: Changes): Scenario {
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

/** The forms that a layer of skills has: only modes that one of them serves can be tried. */
export function skillsModes({ layers }: Scenario): readonly SkillsMode[] {
  const forms = layers
    .flatMap(({ layer, renditions = [] }) => (layer === 'skills' ? renditions : []))
    .map(({ form }) => form)
  const hasFull = forms.includes('full')
  const hasList = forms.some(isList)
  return ['auto', ...(hasFull ? (['full'] as const) : []), ...(hasList ? (['readOnDemand'] as const) : [])]
}

/** The keys of `config.json` that make the changes last, as JSON. */
export function configurationOf(
  { window, reserve, layout, headShare, lowWater, skills, model }: Changes,
  now: Settings,
): string {
  const context = { layout, headShare, lowWater, reserve }
  const isSet = Object.values(context).some((value) => value !== undefined)
  return JSON.stringify(
    {
      model,
      ...(window === undefined ? {} : { models: { [model ?? now.model]: { window } } }),
      ...(isSet ? { context } : {}),
      ...(skills === undefined ? {} : { skills: { contextMode: skills } }),
    },
    null,
    2,
  )
}

function changedLayout(layout: Scenario['layout'], { layout: name, headShare, lowWater }: Changes): Scenario['layout'] {
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
  const kept = renditions.filter(({ form }) => (mode === 'full' ? form === 'full' : isList(form)))
  return kept.length === 0 ? layer : { ...layer, renditions: kept }
}

function isList(form: string): boolean {
  return form.startsWith('list')
}
