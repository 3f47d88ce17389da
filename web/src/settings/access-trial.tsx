import { type ReactNode, useState } from 'react'
import useSWR from 'swr'
import type { AccessPreview, ToolStatus, TrialAnswer } from '../../../src/capability.ts'
import type { ApiError } from '../api/client.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select, TextField } from '../parts/fields.tsx'
import { sentence } from '../parts/sentence.ts'
import { useLate } from '../parts/use-late.ts'
import { type AccessDraft, previewOf } from './access-draft.ts'
import { accessLooks, accessTitles, ruleText } from './access-words.ts'

interface AccessTrialProps {
  readonly draft: AccessDraft
  readonly tools: readonly ToolStatus[]
}

/** A call that is only decided about: what the policy says now, and what it says after the change. */
export function AccessTrial({ draft, tools }: AccessTrialProps): ReactNode {
  const hasShell = tools.some(({ name }) => name === 'shell')
  const [tool, setTool] = useState(hasShell ? 'shell' : (tools[0]?.name ?? ''))
  const [typed, setCommand] = useState('')
  const command = useLate(typed.trim(), 250)
  const asked = tool !== 'shell' || command !== ''
  const trial = { tool, ...(tool === 'shell' ? { command } : {}) }
  // While somebody types, the text that the gateway was last asked about.
  const text = draft.preview?.text ?? draft.text
  const { data, error } = useSWR<AccessPreview, ApiError>(
    asked ? ['tool-access-trial', tool, command, text, draft.file?.digest] : undefined,
    () => previewOf({ text, trial }),
    { keepPreviousData: true },
  )
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Tool"
          value={tool}
          options={tools.map(({ name }) => ({ value: name, title: name }))}
          onChange={(event) => setTool(event.target.value)}
        />
        {tool === 'shell' && (
          <TextField
            label="Command"
            placeholder="git log --oneline"
            spellCheck={false}
            value={typed}
            onChange={(event) => setCommand(event.target.value)}
          />
        )}
      </div>
      {error && <ErrorNote error={error} />}
      {asked && data?.trial && (
        <dl aria-live="polite" className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          <Answer title={draft.isChanged ? 'Now' : 'Decision'} answer={data.trial.before} />
          {draft.isChanged && <Answer title="After your change" answer={data.trial.after} />}
        </dl>
      )}
      <p className="text-xs text-soft">Nothing runs here. A tool can still refuse an input that the policy allows.</p>
    </div>
  )
}

function Answer({ title, answer }: { readonly title: string; readonly answer: TrialAnswer }): ReactNode {
  const { access, reason } = answer
  return (
    <>
      <dt className="text-soft">{title}</dt>
      <dd className="min-w-0 break-words">
        <span className={`font-medium ${accessLooks[access]}`}>{accessTitles[access]}</span>
        {`. ${sentence(ruleText(answer))}${reason === undefined ? '' : ` ${sentence(reason)}`}`}
      </dd>
    </>
  )
}
