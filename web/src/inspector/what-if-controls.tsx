import type { ReactNode } from 'react'
import { layouts, type Scenario } from '../../../src/context.ts'
import { type ModelList, useResource } from '../api/resources.ts'
import { Select, Slider } from '../parts/fields.tsx'
import { count, percent } from '../parts/numbers.ts'
import { type Changes, changedScenario, settingsOf, type SkillsMode, skillsModes } from './what-if-changes.ts'

interface ControlsProps {
  /** The scenario with no change other than the model. */
  readonly scenario: Scenario
  /** The model in force. */
  readonly model: string
  readonly changes: Changes
  onChange(changes: Changes): void
}

const skillsTitles: Readonly<Record<SkillsMode, string>> = {
  auto: 'As they are offered now',
  full: 'In full',
  readOnDemand: 'As a list, read on demand',
}

/** Settings from 0 to 1. */
const shares = [
  { key: 'headShare', label: 'Share of the head' },
  { key: 'lowWater', label: 'Low water after a cut' },
] as const

/** What can be tried: each control is at what is in force until it is moved. */
export function WhatIfControls({ scenario, model, changes, onChange }: ControlsProps): ReactNode {
  const { data: list } = useResource<ModelList>('/api/models')
  const { layout: inForce } = settingsOf(scenario)
  const now = settingsOf(changedScenario(scenario, pickedLayout(changes)))
  const tried = { ...now, ...changes }
  const modes = skillsModes(scenario)
  const set = <Key extends keyof Changes>(key: Key, value: NonNullable<Changes[Key]>, usual: Changes[Key]): void => {
    const { [key]: _, ...others } = changes
    onChange(value === usual ? others : { ...others, [key]: value })
  }
  const models = [...new Set([model, tried.model, ...(list?.models ?? []).map(({ id }) => id)])].filter(Boolean)
  return (
    <form aria-label="Settings to try" className="grid grid-cols-1 gap-3" onSubmit={(event) => event.preventDefault()}>
      <Select
        label="Model"
        value={tried.model}
        options={models.map((id) => ({ value: id, title: id }))}
        onChange={({ target }) => onChange(target.value === model ? {} : { model: target.value })}
      />
      <Slider
        label="Window"
        shown={`${count(tried.window)} tokens`}
        min={step(now.window)}
        max={now.window * 4}
        step={step(now.window)}
        value={tried.window}
        onChange={({ target }) => set('window', Number(target.value), now.window)}
      />
      <Slider
        label="Kept for the answer"
        shown={`${count(tried.reserve)} tokens`}
        min={0}
        max={Math.max(now.reserve, Math.floor(tried.window / 2))}
        step={1}
        value={tried.reserve}
        onChange={({ target }) => set('reserve', Math.max(1, Number(target.value)), now.reserve)}
      />
      <Select
        label="Layout"
        value={tried.layout}
        options={Object.keys(layouts).map((name) => ({ value: name, title: name }))}
        hint={changes.layout === undefined ? undefined : 'The texts of the layers stay as they are now.'}
        onChange={({ target }) => set('layout', target.value, inForce)}
      />
      {shares.map(({ key, label }) => (
        <Slider
          key={key}
          label={label}
          shown={percent(tried[key])}
          min={0}
          max={1}
          step={0.05}
          value={tried[key]}
          onChange={({ target }) => set(key, Number(target.value), now[key])}
        />
      ))}
      {modes.length > 1 && (
        <Select
          label="Skills"
          value={changes.skills ?? 'auto'}
          options={modes.map((mode) => ({ value: mode, title: skillsTitles[mode] }))}
          onChange={({ target }) => set('skills', target.value as SkillsMode, 'auto')}
        />
      )}
    </form>
  )
}

/** A layout has a share of the head and a low water of its own. */
function pickedLayout({ layout }: Changes): Changes {
  return layout === undefined ? {} : { layout }
}

/** Steps of a slider over a window, tokens: some hundred from end to end. */
function step(tokens: number): number {
  return Math.max(1, 2 ** Math.floor(Math.log2(tokens / 32)))
}
