import type { ReactNode } from 'react'
import type { ToolStatus } from '../../../src/capability.ts'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { useAccessDraft } from './access-draft.ts'
import { AccessForm } from './access-form.tsx'
import { AccessProblems } from './access-problems.tsx'
import { AccessReview } from './access-review.tsx'
import { AccessText } from './access-text.tsx'
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
        What a model may call. Nothing may run that this list does not allow; a change takes effect at the next step.
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
