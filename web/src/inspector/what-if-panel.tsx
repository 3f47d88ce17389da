import { Copy, Download, RotateCcw } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { Scenario } from '../../../src/context.ts'
import { api } from '../api/client.ts'
import type { Status } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { useScenario } from './call-scenario.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { showToast } from '../parts/toasts.tsx'
import { saveFile } from './share-save.ts'
import type { Inspected } from './share-late-panel.tsx'
import { conversationTitles } from './share-titles.ts'
import { useAssembly } from './what-if-assembler.ts'
import { type Changes, changedScenario, configurationOf, cutsAnew, settingsOf } from './what-if-changes.ts'
import { WhatIfControls } from './what-if-controls.tsx'
import { WhatIfCost } from './what-if-cost.tsx'
import { WhatIfEntries, WhatIfResult } from './what-if-result.tsx'

/** What other settings would make of a call: assembled in the page by the assembler of the gateway. */
export default function WhatIfPanel(inspected: Inspected): ReactNode {
  const [changes, setChanges] = useState<Changes>({})
  const { model, ...others } = changes
  const original = useScenario(inspected)
  // A call that is cut anew needs the turns that were cut before.
  const history = cutsAnew(changes) ? Math.max(others.window ?? 0, original.data?.budget.window ?? 0) * 4 : undefined
  const wider = useScenario(history === undefined ? undefined : { ...inspected, model, history: roundedUp(history) })
  const scenario = history === undefined ? original.data : (wider.data ?? original.data)
  const changed = useMemo(() => scenario && changedScenario(scenario, others), [scenario, changes])
  const unchanged = useAssembly(original.data)
  const { assembled, problem } = useAssembly(changed)
  const error = original.error ?? wider.error

  if (error) return <ErrorNote error={error} />
  if (original.data === undefined || changed === undefined) return <Spinner />
  const now = settingsOf(original.data)
  const isChanged = Object.keys(changes).length > 0
  const base = { ...original.data, ...(wider.data && model !== undefined ? { budget: wider.data.budget, model } : {}) }
  return (
    <div className="flex flex-col gap-4">
      {problem !== undefined && <ErrorNote error={{ message: problem, hint: undefined }} />}
      {assembled && <WhatIfResult assembled={assembled} unchanged={unchanged.assembled?.manifest} />}
      {assembled && <WhatIfCost {...inspected} assembled={assembled} model={model ?? now.model} />}
      <WhatIfControls scenario={base} model={now.model} changes={changes} onChange={setChanges} />
      <div className="flex flex-wrap gap-2">
        <Button look="plain" disabled={!isChanged} onClick={() => void copy(configurationOf(changes, now))}>
          <Copy size={14} aria-hidden /> Copy as configuration
        </Button>
        <Button look="plain" onClick={() => save(changed)}>
          <Download size={14} aria-hidden /> Save as a scenario
        </Button>
        <Button look="plain" disabled={!isChanged} onClick={() => setChanges({})}>
          <RotateCcw size={14} aria-hidden /> As it is
        </Button>
      </div>
      {assembled && (
        <WhatIfEntries
          assembled={assembled}
          unchanged={unchanged.assembled?.manifest}
          titles={conversationTitles(changed)}
        />
      )}
    </div>
  )
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  const { home } = await api<Pick<Status, 'home'>>('/api/status').catch(() => ({ home: undefined }))
  const file = home === undefined ? 'config.json' : `${home}/config.json`
  showToast({ text: `Copied. Merge it into ${file}, then restart the gateway.` })
}

function save(scenario: Scenario): void {
  saveFile('scenario.json', `${JSON.stringify(scenario, null, 2)}\n`)
  showToast({
    text: 'Saved. Put it into a folder: foreword check FOLDER --update keeps its outline, and foreword check FOLDER compares.',
  })
}

/** A power of two, so that a slider asks for more of the history a few times only. */
function roundedUp(tokens: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1024, tokens)))
}
