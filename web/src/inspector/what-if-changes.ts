import { layoutOf, type Scenario, type ScenarioChanges } from '../../../src/context.ts'

/** `skills.contextMode` of the configuration. */
export type SkillsMode = 'auto' | 'full' | 'readOnDemand'

/** What a person tries: absent is as it is. */
export interface Changes extends Omit<ScenarioChanges, 'forms'> {
  readonly skills?: SkillsMode
}

/** The same as the assembler and the gateway know it. */
export function scenarioChanges({ skills = 'auto', ...others }: Changes): ScenarioChanges {
  return skills === 'auto' ? others : { ...others, forms: { skills: skills === 'full' ? 'full' : 'list' } }
}

export interface Settings extends Required<Omit<Changes, 'skills' | 'model'>> {
  readonly model: string
}

export function settingsOf({ layout, budget, model = '' }: Scenario): Settings {
  const { headShare, cut } = layoutOf(layout)
  const name = typeof layout === 'string' ? layout : layout.extends
  return { window: budget.window, reserve: budget.reserve, layout: name, headShare, lowWater: cut.lowWater, model }
}

/** The forms that a layer of skills has: only modes that one of them serves can be tried. */
export function skillsModes({ layers }: Scenario): readonly SkillsMode[] {
  const forms = layers
    .flatMap(({ layer, renditions = [] }) => (layer === 'skills' ? renditions : []))
    .map(({ form }) => form)
  const hasFull = forms.includes('full')
  const hasList = forms.some((form) => form.startsWith('list'))
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
