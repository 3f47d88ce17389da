import type { ReactNode } from 'react'
import { useMay } from '../api/caller.ts'
import { api } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { ExactText } from '../parts/long-text.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextArea } from '../parts/fields.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useLate } from '../parts/use-now.ts'
import { type SavedAs, useDraft, type Versioned } from './version-draft.ts'
import { VersionForm } from './version-form.tsx'
import { type ListedVersion, VersionList } from './version-list.tsx'
import { SentLayer } from './version-sent.tsx'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

/** The system prompt, as `GET /api/prompt` shows it. */
interface Prompt {
  readonly edited: boolean
  /** Absent: it was never edited. */
  readonly version?: number
  readonly time?: string
  readonly text?: string
  readonly unedited: { readonly text: string; readonly from: string }
  readonly warnings: readonly string[]
}

/** The system prompt: what counts and where it comes from, an editor, and its versions. */
export default function PromptPage(): ReactNode {
  const { data, error, mutate } = useResource<Prompt>('/api/prompt')
  const { data: history, mutate: mutateHistory } = useResource<{ readonly versions: readonly ListedVersion[] }>(
    '/api/prompt/versions',
  )
  const isOwner = useMay('admin')
  if (error) return <ErrorNote error={error} />
  if (data === undefined || history === undefined) return <Spinner />
  const readAgain = async (): Promise<void> => {
    await Promise.all([mutate(), mutateHistory()])
  }
  const putBack = async ({ version, text }: ListedVersion): Promise<void> => {
    if (text === undefined) await api('/api/prompt', { method: 'DELETE' })
    else await api('/api/prompt/restore', { method: 'POST', body: { version } })
    await readAgain()
  }
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {isOwner
          ? t`What every model reads first, unless an agent replaces it. A change counts from the next turn on.`
          : t`What every model reads first. The owner of this gateway decides what it says.`}
      </p>
      {data.warnings.map((warning) => (
        <p key={warning} className="rounded-lg border border-warn px-3 py-2 text-sm">
          {warning}
        </p>
      ))}
      {!isOwner && <ExactText label={t`System prompt`} text={data.text ?? data.unedited.text} />}
      {isOwner && <PromptEditor prompt={data} readAgain={readAgain} />}
      {isOwner && (
        <VersionList
          versions={history.versions.map(({ text, ...each }) => ({ ...each, text }))}
          empty={t`Reset`}
          emptyToo
          putBack={putBack}
        />
      )}
    </div>
  )
}

function PromptEditor({ prompt, readAgain }: { readonly prompt: Prompt; readAgain(): Promise<void> }): ReactNode {
  const { edited, unedited, version = 0, text, time } = prompt
  // What is never edited is no version, and yet there is something to compare with.
  const newest: Versioned<string> = { version, value: text ?? unedited.text }
  const draft = useDraft('prompt', newest)
  const late = useLate(draft.value, 300)
  const save = async (value: string, after: number): Promise<SavedAs> => {
    try {
      const { version: made } = await api<ListedVersion>('/api/prompt', { method: 'PUT', body: { text: value, after } })
      return { version: made }
    } finally {
      await readAgain()
    }
  }
  const reset = async (): Promise<void> => {
    const { version: before } = prompt
    try {
      await api('/api/prompt', { method: 'DELETE' })
      await readAgain()
      const undo = async (): Promise<void> => {
        await api('/api/prompt/restore', { method: 'POST', body: { version: before } })
        await readAgain()
      }
      showToast({
        text: t`The system prompt is reset.`,
        action: { label: t`Undo`, run: () => void undo().catch(report) },
      })
    } catch (failure) {
      report(failure)
    }
  }
  return (
    <section aria-label={t`In force`} className="flex flex-col gap-4">
      <p className="text-sm">
        <span className="font-medium">{t`In force:`}</span>{' '}
        {edited && time !== undefined
          ? t`the prompt that was edited here, version ${version} of ${timeText(time)}.`
          : `${sourceText(unedited.from)}.`}
      </p>
      <VersionForm
        label={t`System prompt`}
        newest={newest}
        draft={draft}
        textOf={(value) => value}
        save={save}
        compares
      >
        <TextArea
          label={t`System prompt`}
          maxLength={200_000}
          hint={
            draft.value.trim() === ''
              ? t`Blank: no system prompt is sent.`
              : t`Each call replaces {{date}}, {{tools}} and {{citations}} in it.`
          }
          value={draft.value}
          onChange={({ target }) => draft.set(target.value)}
        />
        {late.trim() !== '' && (
          <SentLayer
            layer="system-prompt"
            body={draft.changed ? { system: late } : {}}
            version={version}
            none={t`Nothing of it is sent.`}
          />
        )}
      </VersionForm>
      {edited && (
        <div className="flex flex-wrap items-center gap-3">
          <Button look="danger" onClick={() => void reset()}>
            {t`Reset`}
          </Button>
          <p className="text-sm text-soft">{t`Goes back to ${sourceText(unedited.from)}.`}</p>
        </div>
      )}
    </section>
  )
}

function report(failure: unknown): void {
  showToast({ text: failure instanceof Error ? failure.message : String(failure) })
}

/** The source of the prompt while there is no edit. */
function sourceText(from: string): string {
  return from === 'packaged system prompt' ? t`the prompt that comes with Foreword` : t`the file ${from} of the home`
}
