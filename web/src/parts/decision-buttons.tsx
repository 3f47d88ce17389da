import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useCaller, useMay } from '../api/caller.ts'
import type { ApiError } from '../api/client.ts'
import { Button } from './button.tsx'
import { ErrorNote } from './error-note.tsx'
import { keepFocus } from './focus-message.ts'
import { t } from '../language/language.ts'

/** One way to agree, with its key. */
export interface Agreement {
  readonly key: string
  readonly label: string
  run(): Promise<unknown>
}

interface DecisionButtonsProps {
  /** What is decided about, for screen readers. */
  readonly label: string
  readonly agreements: readonly Agreement[]
  /** The word for the other decision, which `n` begins. */
  readonly refusal: string
  refuse(reason: string): Promise<unknown>
  /** What is decided about. The keys work while the focus is anywhere in it. */
  readonly children: ReactNode
  /** What nobody should decide without: it is in sight beside the buttons however long the rest is. */
  readonly warning?: ReactNode
}

/**
 * A question to a person, with a button and a key for each decision. It never takes the focus: nobody should agree with a
 * key that was meant for a message. With Alt the keys of the first question work wherever the focus is, so in the message field.
 */
export function DecisionButtons(props: DecisionButtonsProps): ReactNode {
  const isKnown = useCaller() !== undefined
  const may = useMay('approve')
  if (may) return <Decision {...props} />
  return (
    <div role="group" aria-label={props.label} className="flex flex-col gap-3">
      {props.children}
      {props.warning}
      {isKnown && (
        <p className="text-warn">
          {t`You cannot decide about this with your role. The owner of this gateway can make you a member, or allow the tool; until then you can stop the turn.`}
        </p>
      )}
    </div>
  )
}

function Decision({ label, agreements, refusal, refuse, children, warning }: DecisionButtonsProps): ReactNode {
  const [asksReason, setAsksReason] = useState(false)
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const field = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLDivElement>(null)

  const decide = async (run: () => Promise<unknown>): Promise<void> => {
    if (busy) return
    const isHere = box.current?.contains(document.activeElement)
    setBusy(true)
    setError(undefined)
    try {
      await run()
      // The buttons go with the question.
      if (isHere) keepFocus()
    } catch (failure) {
      setError(failure as ApiError)
      setBusy(false)
    }
  }
  const decideBy = (pressed: string): boolean => {
    const agreement = agreements.find(({ key }) => key === pressed)
    if (agreement) void decide(() => agreement.run())
    else if (pressed === 'n') setAsksReason(true)
    return agreement !== undefined || pressed === 'n'
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target === field.current || event.ctrlKey || event.metaKey || event.altKey) return
    if (decideBy(event.key)) event.preventDefault()
  }
  const latest = useRef(decideBy)
  latest.current = decideBy
  useEffect(() => {
    const anywhere = (event: globalThis.KeyboardEvent): void => {
      if (!event.altKey || event.ctrlKey || event.metaKey) return
      if (document.querySelector('[data-decision]') !== box.current) return
      // The letter itself depends on the keyboard: Alt writes signs on a Mac.
      if (latest.current(event.code.replace(/^Key/, '').toLowerCase())) event.preventDefault()
    }
    document.addEventListener('keydown', anywhere)
    return () => document.removeEventListener('keydown', anywhere)
  }, [])

  return (
    <div
      ref={box}
      role="group"
      aria-label={label}
      data-decision
      tabIndex={0}
      className="flex flex-col gap-3 rounded-lg"
      onKeyDown={onKeyDown}
    >
      {/* It begins at its beginning, and the buttons stay in sight: a long one moves within itself. */}
      <div tabIndex={-1} className="flex max-h-[55dvh] flex-col gap-3 overflow-y-auto max-sm:max-h-[34dvh]">
        {children}
      </div>
      {warning}
      {error && <ErrorNote error={error} />}
      {asksReason ? (
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            void decide(() => refuse(reason.trim()))
          }}
        >
          <label className="flex min-w-48 flex-1 flex-col gap-1 text-xs text-soft">
            {t`Reason (optional)`}
            <input
              ref={field}
              autoFocus
              value={reason}
              maxLength={2_000}
              dir="auto"
              className="rounded-lg border border-strong-line bg-ground px-2 py-1.5 text-sm text-ink"
              onChange={(event) => setReason(event.target.value)}
              onKeyDown={(event) => event.key === 'Escape' && setAsksReason(false)}
            />
          </label>
          <Button type="submit" look="danger" disabled={busy}>
            {refusal}
          </Button>
          <Button look="plain" onClick={() => setAsksReason(false)}>
            {t`Back`}
          </Button>
        </form>
      ) : (
        <div className="flex flex-wrap gap-2">
          {agreements.map(({ key, label: name, run }, index) => (
            <Button
              key={key}
              look={index === 0 ? 'primary' : 'plain'}
              disabled={busy}
              aria-keyshortcuts={`${key} Alt+${key}`}
              onClick={() => void decide(run)}
            >
              {name} <Key>{key}</Key>
            </Button>
          ))}
          <Button look="plain" disabled={busy} aria-keyshortcuts="n Alt+n" onClick={() => setAsksReason(true)}>
            {`${refusal} …`} <Key>n</Key>
          </Button>
        </div>
      )}
    </div>
  )
}

function Key({ children }: { readonly children: string }): ReactNode {
  return (
    <kbd
      aria-hidden
      className="pointer-coarse:hidden rounded border border-current px-1 font-mono text-[11px] leading-4"
    >
      {children}
    </kbd>
  )
}
