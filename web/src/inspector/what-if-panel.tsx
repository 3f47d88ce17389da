import { Copy, Download, RotateCcw } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { calibratedManifest, changedScenario, forgetsCut, layouts, type Scenario } from '../../../src/context.ts'
import { api } from '../api/client.ts'
import { type ModelList, type Status, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { useScenario } from './call-scenario.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { showToast } from '../parts/toasts.tsx'
import { saveFile } from '../parts/save-file.ts'
import type { Inspected } from './inspected.ts'
import { conversationTitles } from './share-titles.ts'
import { useAssembly } from './what-if-assembler.ts'
import {
  type Changes,
  configurationOf,
  settingsOf,
  skillsModes,
  scenarioChanges,
  type SkillsMode,
} from './what-if-changes.ts'
import { useTriedFigures, WhatIfCost } from './what-if-cost.tsx'
import { WhatIfEntries, WhatIfResult } from './what-if-result.tsx'
import { Select, Slider } from '../parts/fields.tsx'
import { percent } from '../parts/numbers.ts'
import { copyText } from '../parts/copy-text.tsx'
import { t, translated } from '../language/language.ts'

/** What other settings would make of a call: assembled in the page by the assembler of the gateway. */
export default function WhatIfPanel(inspected: Inspected): ReactNode {
  const [changes, setChanges] = useState<Changes>({})
  const { model, ...others } = changes
  const original = useScenario(inspected)
  // A call that is cut anew needs the turns that were cut before.
  const history = forgetsCut(changes) ? Math.max(others.window ?? 0, original.data?.budget.window ?? 0) * 4 : undefined
  const wider = useScenario(history === undefined ? undefined : { ...inspected, model, history: roundedUp(history) })
  const scenario = history === undefined ? original.data : (wider.data ?? original.data)
  const changed = useMemo(() => scenario && changedScenario(scenario, scenarioChanges(others)), [scenario, changes])
  const unchanged = useAssembly(original.data)
  const { assembled, problem } = useAssembly(changed)
  const error = original.error ?? wider.error
  const isChanged = Object.keys(changes).length > 0
  const figures = useTriedFigures(
    inspected,
    changes,
    history === undefined ? undefined : roundedUp(history),
    assembled,
    unchanged.assembled?.manifest,
  )
  const { tried } = figures
  const shown = assembled && tried && { ...assembled, manifest: calibratedManifest(assembled.manifest, tried.total) }
  const before =
    unchanged.assembled && figures.now && calibratedManifest(unchanged.assembled.manifest, figures.now.total)

  if (error) return <ErrorNote error={error} />
  if (original.data === undefined || changed === undefined) return <Spinner />
  const now = settingsOf(original.data)
  const base = { ...original.data, ...(wider.data && model !== undefined ? { budget: wider.data.budget, model } : {}) }
  return (
    <div className="flex flex-col gap-4">
      {problem !== undefined && <ErrorNote error={{ message: translated(problem), hint: undefined }} />}
      {shown && tried && <WhatIfResult call={inspected.call} assembled={shown} figures={tried} now={figures.now} />}
      {tried && <WhatIfCost call={inspected.call} figures={tried} isSame={!isChanged} />}
      <WhatIfControls scenario={base} model={now.model} changes={changes} onChange={setChanges} />
      <div className="flex flex-wrap gap-2">
        <Button look="plain" disabled={!isChanged} onClick={() => void copy(configurationOf(changes, now))}>
          <Copy size={14} aria-hidden /> {t`Copy as configuration`}
        </Button>
        <Button look="plain" onClick={() => save(changed)}>
          <Download size={14} aria-hidden /> {t`Save as a scenario`}
        </Button>
        <Button look="plain" disabled={!isChanged} onClick={() => setChanges({})}>
          <RotateCcw size={14} aria-hidden /> {t`As it is`}
        </Button>
      </div>
      {shown && <WhatIfEntries assembled={shown} unchanged={before} titles={conversationTitles(changed)} />}
    </div>
  )
}

async function copy(text: string): Promise<void> {
  if (!(await copyText(text))) return
  const { home } = await api<Pick<Status, 'home'>>('/api/status').catch(() => ({ home: undefined }))
  const file = home === undefined ? 'config.json' : `${home}/config.json`
  showToast({ text: t`Copied. Merge it into ${file}, then restart the gateway.` })
}

function save(scenario: Scenario): void {
  saveFile('scenario.json', `${JSON.stringify(scenario, null, 2)}\n`)
  showToast({
    text: t`Saved. Put it into a folder: foreword check FOLDER --update keeps its outline, and foreword check FOLDER compares.`,
  })
}

/** A power of two, so that a slider asks for more of the history a few times only. */
function roundedUp(tokens: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1024, tokens)))
}

interface ControlsProps {
  /** The scenario with no change other than the model. */
  readonly scenario: Scenario
  /** The model in force. */
  readonly model: string
  readonly changes: Changes
  onChange(changes: Changes): void
}

const skillsTitles: Readonly<Record<SkillsMode, string>> = {
  auto: t`As they are offered now`,
  full: t`In full`,
  readOnDemand: t`As a list, read on demand`,
}

/** Settings from 0 to 1. */
const shares = [
  { key: 'headShare', label: t`Share of the head` },
  { key: 'lowWater', label: t`Low water after a cut` },
] as const

/** What can be tried: each control is at what is in force until it is moved. */
function WhatIfControls({ scenario, model, changes, onChange }: ControlsProps): ReactNode {
  const { data: list } = useResource<ModelList>('/api/models')
  const { layout: inForce } = settingsOf(scenario)
  const now = settingsOf(changedScenario(scenario, scenarioChanges(pickedLayout(changes))))
  const tried = { ...now, ...changes }
  const modes = skillsModes(scenario)
  const set = <Key extends keyof Changes>(key: Key, value: NonNullable<Changes[Key]>, usual: Changes[Key]): void => {
    const { [key]: _, ...others } = changes
    onChange(value === usual ? others : { ...others, [key]: value })
  }
  const models = [...new Set([model, tried.model, ...(list?.models ?? []).map(({ id }) => id)])].filter(Boolean)
  return (
    <form
      aria-label={t`Settings to try`}
      className="grid grid-cols-1 gap-3"
      onSubmit={(event) => event.preventDefault()}
    >
      <Select
        label={t`Model`}
        value={tried.model}
        options={models.map((id) => ({ value: id, title: id }))}
        onChange={({ target }) => onChange(target.value === model ? {} : { model: target.value })}
      />
      <Slider
        label={t`Window`}
        shown={t`${tried.window} tokens`}
        min={step(now.window)}
        max={now.window * 4}
        step={step(now.window)}
        value={tried.window}
        onChange={({ target }) => set('window', Number(target.value), now.window)}
      />
      <Slider
        label={t`Kept for the answer`}
        shown={t`${tried.reserve} tokens`}
        min={0}
        max={Math.max(now.reserve, Math.floor(tried.window / 2))}
        step={1}
        value={tried.reserve}
        onChange={({ target }) => set('reserve', Math.max(1, Number(target.value)), now.reserve)}
      />
      <Select
        label={t`Layout`}
        value={tried.layout}
        options={Object.keys(layouts).map((name) => ({ value: name, title: name }))}
        hint={changes.layout === undefined ? undefined : t`The texts of the layers stay as they are now.`}
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
          label={t`Skills`}
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
