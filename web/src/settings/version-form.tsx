import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { TextDifference } from '../inspector/compare-text.tsx'
import { Button } from '../parts/button.tsx'
import { WarningList, ErrorNote } from '../parts/error-note.tsx'
import { ExactText } from '../parts/long-text.tsx'
import { Fold } from '../parts/fold.tsx'
import type { Draft, SavedAs, Versioned } from './version-draft.ts'
import { t } from '../language/language.ts'

/** The result of a save. */
export interface Saved extends SavedAs {
  /** Called after the save. */
  done?(): void
}

interface VersionFormProps<Value> {
  /** For screen readers: `Agent Poet`. */
  readonly label: string
  readonly newest: Versioned<Value>
  readonly draft: Draft<Value>
  textOf(value: Value): string
  /** Resolves once it is saved and read again, to what it is now and what is to be done then. Rejects with `ApiError`. */
  save(value: Value, base: number): Promise<Saved>
  /** Of the value that was just saved. Absent: none was. */
  readonly warnings?: readonly string[] | undefined
  /** Whether there is something to compare with although there is no version yet. */
  readonly compares?: boolean
  readonly saveLabel?: string
  readonly children: ReactNode
}

/**
 * A form for something with versions: it shows what would change before it is saved, keeps the input whatever happens, and
 * shows the version of somebody else beside one's own.
 */
export function VersionForm<Value>(props: VersionFormProps<Value>): ReactNode {
  const {
    label,
    newest,
    draft,
    textOf,
    save,
    warnings,
    compares = newest.version > 0,
    saveLabel = t`Save`,
    children,
  } = props
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  // What is typed while a save runs is a change of what is being saved.
  const overtaken = draft.overtaken && !busy
  const submit = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const saved = await save(draft.value, draft.base)
      draft.saved(draft.value, saved)
      saved.done?.()
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      // The newer version is shown below instead.
      if (failure.code !== 'changed') setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      aria-label={label}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
      {error && <ErrorNote error={error} />}
      {overtaken && <OtherVersion newest={newest} draft={draft} textOf={textOf} />}
      {draft.changed && compares && !overtaken && (
        <Fold className="text-sm" summaryClassName="text-soft" summary={t`What changes`}>
          <div className="mt-2">
            <TextDifference before={textOf(newest.value)} after={textOf(draft.value)} />
          </div>
        </Fold>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" disabled={busy || overtaken || (!draft.changed && compares)}>
          {saveLabel}
        </Button>
        {draft.changed && (
          <Button look="plain" disabled={busy} onClick={draft.discard}>
            {t`Discard changes`}
          </Button>
        )}
        <p role="status" className="text-sm text-soft">
          {draft.changed ? t`Not saved yet.` : warnings !== undefined && t`Saved.`}
        </p>
      </div>
      {!draft.changed && warnings !== undefined && <WarningList warnings={warnings} />}
    </form>
  )
}

/** The version that was saved in the meantime, beside one's own, and the two ways to go on. */
function OtherVersion<Value>({
  newest,
  draft,
  textOf,
}: Pick<VersionFormProps<Value>, 'newest' | 'draft' | 'textOf'>): ReactNode {
  return (
    <section
      role="alert"
      aria-label={t`A newer version`}
      className="flex flex-col gap-3 rounded-lg border border-warn p-3 text-sm"
    >
      <p className="font-medium">
        {draft.base === 0
          ? t`Version ${newest.version} was saved while you changed this. Nothing of yours is lost.`
          : t`Version ${newest.version} was saved while you changed version ${draft.base}. Nothing of yours is lost.`}
      </p>
      <div className="grid gap-3 md:grid-cols-2">
        <Side title={t`Version ${newest.version}, saved in the meantime`} text={textOf(newest.value)} />
        <Side title={t`Yours`} text={textOf(draft.value)} />
      </div>
      <Fold summaryClassName="text-soft" summary={t`From that one to yours`}>
        <div className="mt-2">
          <TextDifference before={textOf(newest.value)} after={textOf(draft.value)} />
        </div>
      </Fold>
      <div className="flex flex-wrap gap-2">
        <Button onClick={draft.rebase}>{t`Go on with mine`}</Button>
        <Button look="plain" onClick={draft.discard}>
          {t`Take the newer one`}
        </Button>
      </div>
    </section>
  )
}

function Side({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="text-xs font-medium text-soft">{title}</h3>
      <ExactText label={title} text={text} />
    </div>
  )
}
