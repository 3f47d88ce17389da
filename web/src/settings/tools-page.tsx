import { type ReactNode, useId, useState } from 'react'
import type { AccessPreview, FileVersion, ToolStatus, TrialAnswer } from '../../../src/capability.ts'
import { api, type ApiError } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { type AccessDraft, previewKey, previewOf, useAccessDraft } from './access-draft.ts'
import { AccessForm } from './access-form.tsx'
import { AccessProblems, AccessReview } from './access-review.tsx'
import { ToolList } from './tools-list.tsx'
import { WaitingFiles, WithheldTools } from './tools-waiting.tsx'
import useSWR from 'swr'
import { Button } from '../parts/button.tsx'
import { DiffLines } from '../parts/diff-lines.tsx'
import { Select, TextField } from '../parts/fields.tsx'
import { sentence } from '../parts/sentence.ts'
import { useLate } from '../parts/use-now.ts'
import { accessLooks, accessTitles, ruleText } from './access-words.ts'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

/** What a model may call, the rule that decides about each tool, and the file with the rules. */
export default function ToolsPage(): ReactNode {
  const { data, error } = useResource<{ readonly tools: readonly ToolStatus[] }>('/api/tools')
  const draft = useAccessDraft()
  const failure = error ?? (draft.file === undefined ? draft.error : undefined)
  if (failure) return <ErrorNote error={failure} />
  if (data === undefined || draft.file === undefined) return <Spinner />
  const sections = [
    [t`Rules`, <AccessForm key="form" draft={draft} />],
    [t`Try a call`, <AccessTrial key="trial" draft={draft} tools={data.tools} />],
    [t`The file`, <AccessText key="text" draft={draft} />],
    [t`Earlier contents`, <AccessVersions key="versions" draft={draft} />],
  ] as const
  return (
    <div className="flex flex-col gap-8">
      <p className="text-soft">
        {t`What a model may call. Nothing else may run. A newly allowed tool is offered as soon as no cache is lost by it.`}{' '}
        <button className="underline" onClick={() => void api('/api/reload?now=true', { method: 'POST' })}>
          {t`Offer it now`}
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
        {t`Comments and a comma at the end of a list are allowed. A key that begins with _ is a comment, too.`}
      </p>
      {draft.isChanged && <AccessProblems problems={draft.preview?.problems ?? []} />}
    </div>
  )
}

/** Contents that the file has had; each can be put back after the same review as any other change. */
function AccessVersions({ draft }: { readonly draft: AccessDraft }): ReactNode {
  const { data, error } = useResource<{ readonly versions: readonly FileVersion[] }>('/api/tool-access/versions')
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const earlier = data.versions.filter(({ text }, index) => !(index === 0 && text === draft.file?.text))
  if (earlier.length === 0) return <p className="text-sm text-soft">{t`The file was not changed here yet.`}</p>
  return (
    <ul className="divide-y divide-line text-sm">
      {earlier.map((version) => (
        <EarlierContent key={version.version} version={version} draft={draft} />
      ))}
    </ul>
  )
}

function EarlierContent({ version, draft }: { readonly version: FileVersion; readonly draft: AccessDraft }): ReactNode {
  const [open, setOpen] = useState(false)
  const { text, time } = version
  const { data } = useSWR<AccessPreview>(open ? previewKey(text, draft.file?.digest) : undefined, () =>
    previewOf({ text }),
  )
  return (
    <li className="py-2">
      <div className="flex items-center gap-3">
        <details className="min-w-0 flex-1" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            <time dateTime={time}>{timeText(time)}</time>
          </summary>
        </details>
        <Button
          look="plain"
          disabled={text === draft.text}
          aria-label={t`Put back the content of ${timeText(time)}`}
          onClick={() => draft.setText(text)}
        >
          {t`Put back`}
        </Button>
      </div>
      {open && (
        <div className="mt-2">
          {data === undefined ? (
            <Spinner />
          ) : data.difference === '' ? (
            <p className="text-soft">{t`The same as the file is now.`}</p>
          ) : (
            <DiffLines diff={data.difference} />
          )}
        </div>
      )}
    </li>
  )
}

interface AccessTrialProps {
  readonly draft: AccessDraft
  readonly tools: readonly ToolStatus[]
}

/** A call that is only decided about: what the policy says now, and what it says after the change. */
function AccessTrial({ draft, tools }: AccessTrialProps): ReactNode {
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
          label={t`Tool`}
          value={tool}
          options={tools.map(({ name }) => ({ value: name, title: name }))}
          onChange={(event) => setTool(event.target.value)}
        />
        {tool === 'shell' && (
          <TextField
            label={t`Command`}
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
          <Answer title={draft.isChanged ? t`Now` : t`Decision`} answer={data.trial.before} />
          {draft.isChanged && <Answer title={t`After your change`} answer={data.trial.after} />}
        </dl>
      )}
      <p className="text-xs text-soft">{t`Nothing runs here. A tool can still refuse an input that the policy allows.`}</p>
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
