import { type ReactNode, useState } from 'react'
import type { AccessPreview } from '../../../src/capability.ts'
import { widenedText } from '../../../src/tool/access/widened-text.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { DiffLines } from '../parts/diff-lines.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useAction } from '../parts/use-action.ts'
import type { AccessDraft } from './access-draft.ts'
import { accessTitles, ruleText, untrustedTitle } from './access-words.ts'
import { t, translated } from '../language/language.ts'

/** The line at the edge of the page while something is not saved. It leads to the difference. */
export function AccessReview({ draft }: { readonly draft: AccessDraft }): ReactNode {
  const [open, setOpen] = useState(false)
  if (!draft.isChanged) return null
  const preview = draft.isBehind ? undefined : previewIn(draft)
  return (
    <>
      <div
        role="region"
        aria-label={t`Unsaved change`}
        className="sticky bottom-0 z-10 flex flex-wrap items-center gap-2 rounded-lg border border-strong-line bg-raised px-3 py-2 text-sm shadow-lg"
      >
        <p className="min-w-0 grow basis-56">{summary(preview)}</p>
        <Button look="plain" onClick={draft.discard}>
          {t`Discard`}
        </Button>
        <Button onClick={() => setOpen(true)}>{t`Review and save`}</Button>
      </div>
      {open && <ReviewDialog draft={draft} onClose={() => setOpen(false)} />}
    </>
  )
}

function previewIn({ preview }: AccessDraft): AccessPreview | undefined {
  return preview !== undefined && 'shown' in preview ? preview : undefined
}

function summary(preview: AccessPreview | undefined): string {
  if (preview === undefined) return t`Not saved yet.`
  if (preview.problems.length > 0) return t`Not saved yet: the text has a mistake.`
  const { length } = preview.widens
  if (length === 0) return t`Not saved yet. It lets nothing through that is not allowed now.`
  return length === 1
    ? t`Not saved yet. It lets through one thing that is not allowed now.`
    : t`Not saved yet. It lets through ${length} things that are not allowed now.`
}

function ReviewDialog({ draft, onClose }: { readonly draft: AccessDraft; onClose(): void }): ReactNode {
  const preview = previewIn(draft)
  const { busy, error, act } = useAction()
  const save = (shown: AccessPreview): Promise<void> =>
    act(async () => {
      await draft.save(shown)
      onClose()
      showToast({ text: t`Saved. It takes effect at the next step of every turn.` })
    })
  return (
    <Dialog title={t`Review the change`} onClose={onClose} wide>
      <div className="flex flex-col gap-4 text-sm">
        {error && <ErrorNote error={error} />}
        {error?.code === 'changed' && (
          <p>{t`This is now the difference between the file as somebody else has left it and your text.`}</p>
        )}
        {preview === undefined ? (
          draft.error ? (
            <ErrorNote error={draft.error} />
          ) : (
            <Spinner />
          )
        ) : (
          <>
            <AccessProblems problems={preview.problems} />
            {preview.problems.length === 0 && <Widened preview={preview} />}
            <Changes preview={preview} />
            <section className="flex flex-col gap-1">
              <h3 className="font-semibold">{t`The file as it will be written`}</h3>
              <p className="break-all text-soft">{preview.path}</p>
              <DiffLines diff={preview.difference} />
            </section>
            <div className="flex flex-wrap justify-end gap-2">
              <Button
                look="plain"
                onClick={() => {
                  draft.discard()
                  onClose()
                }}
              >
                {t`Discard`}
              </Button>
              <Button
                disabled={busy || draft.isBehind || preview.problems.length > 0}
                onClick={() => void save(preview)}
              >
                {preview.widens.length === 0 ? t`Save` : t`Save and allow this`}
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}

function Widened({ preview: { widens } }: { readonly preview: AccessPreview }): ReactNode {
  if (widens.length === 0) return <p>{t`It lets nothing through that is not allowed now.`}</p>
  return (
    <section aria-label={t`What becomes allowed`} className="rounded-lg border border-warn px-3 py-2">
      <h3 className="font-semibold text-warn">{t`What becomes allowed`}</h3>
      <ul className="mt-1 list-disc ps-5">
        {widens.map((each) => (
          <li key={`${each.kind} ${each.name}`} className="break-words">
            {translated(widenedText(each))}{' '}
            {each.risk !== undefined && (
              <span className="text-warn">{t`This is more than it seems to be: ${each.risk}.`}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Changes({ preview: { changes } }: { readonly preview: AccessPreview }): ReactNode {
  if (changes.length === 0) return null
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-semibold">{t`Tools`}</h3>
      <ul className="divide-y divide-line">
        {changes.map(({ name, before, after }) => (
          <li key={name} className="flex flex-wrap gap-x-3 py-1">
            <span className="min-w-0 flex-1 font-medium break-words">{name}</span>
            <span>{`${accessTitles[before.access]} → ${accessTitles[after.access]}`}</span>
            <span className="w-full text-xs break-words text-soft">{t`Now: ${ruleText(before)}`}</span>
            <span className="w-full text-xs break-words text-soft">{t`After it: ${ruleText(after)}`}</span>
            {before.afterUntrusted !== after.afterUntrusted && (
              <span className="w-full text-xs break-words text-soft">{t`After texts of others: ${untrustedTitle(before.afterUntrusted)} now, ${untrustedTitle(after.afterUntrusted)} then.`}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Why the file cannot be read: each problem with its line. */
export function AccessProblems({ problems }: { readonly problems: readonly string[] }): ReactNode {
  if (problems.length === 0) return null
  return (
    <div role="alert" className="rounded-lg border border-bad px-3 py-2 text-sm">
      <p className="font-medium text-bad">{t`With these mistakes no tool may run:`}</p>
      <ul className="list-disc ps-5 break-words">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  )
}
