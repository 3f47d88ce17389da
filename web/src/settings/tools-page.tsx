import { type ReactNode, useId } from 'react'
import type { ToolStatus } from '../../../src/capability.ts'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { type AccessDraft, useAccessDraft } from './access-draft.ts'
import { AccessForm } from './access-form.tsx'
import { AccessProblems } from './access-problems.tsx'
import { AccessReview } from './access-review.tsx'
import { AccessTrial } from './access-trial.tsx'
import { AccessVersions } from './access-versions.tsx'
import { ToolList } from './tools-list.tsx'
import { WaitingFiles } from './tools-waiting.tsx'
import { WithheldTools } from './tools-withheld.tsx'

/** What a model may call, the rule that decides about each tool, and the file with the rules. */
export default function ToolsPage(): ReactNode {
  const { data, error } = useResource<{ readonly tools: readonly ToolStatus[] }>('/api/tools')
  const draft = useAccessDraft()
  const failure = error ?? (draft.file === undefined ? draft.error : undefined)
  if (failure) return <ErrorNote error={failure} />
  if (data === undefined || draft.file === undefined) return <Spinner />
  const sections = [
    ['Rules', <AccessForm key="form" draft={draft} />],
    ['Try a call', <AccessTrial key="trial" draft={draft} tools={data.tools} />],
    ['The file', <AccessText key="text" draft={draft} />],
    ['Earlier contents', <AccessVersions key="versions" draft={draft} />],
  ] as const
  return (
    <div className="flex flex-col gap-8">
      <p className="text-soft">
        What a model may call. Nothing may run that this list does not allow; a change takes effect at the next step. An
        allowed tool is announced at once, and offered as soon as no cache is lost by it.{' '}
        <button className="underline" onClick={() => void api('/api/reload?now=true', { method: 'POST' })}>
          Offer it now
        </button>
        .
      </p>
      <AccessProblems problems={draft.file.problems} />
      <WaitingFiles />
      <WithheldTools tools={data.tools} />
      <ToolList tools={data.tools} draft={draft} />
      {sections.map(([title, content]) => (
        <section key={title} aria-label={title} className="flex flex-col gap-3">
          <h2 className="text-lg font-semibold">{title}</h2>
          {content}
        </section>
      ))}
      <AccessReview draft={draft} />
    </div>
  )
}

/** The file as text. What is typed is checked by the reader of the gateway, and is saved after the review. */
function AccessText({ draft }: { readonly draft: AccessDraft }): ReactNode {
  const id = useId()
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={id} className="text-sm font-medium">
        tool-access.json
      </label>
      <textarea
        id={id}
        dir="ltr"
        rows={Math.min(24, Math.max(8, draft.text.split('\n').length + 1))}
        spellCheck={false}
        value={draft.text}
        onChange={(event) => draft.setText(event.target.value)}
        className="w-full rounded-lg border border-strong-line bg-ground p-3 font-mono text-xs leading-relaxed"
      />
      <p className="text-xs text-soft">
        Comments and a comma at the end of a list are allowed. A key that begins with _ is a comment, too.
      </p>
      {draft.isChanged && <AccessProblems problems={draft.preview?.problems ?? []} />}
    </div>
  )
}
