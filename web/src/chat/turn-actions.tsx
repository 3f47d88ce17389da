import { ChevronLeft, ChevronRight, Copy, Ellipsis, GitBranch, Pencil, RotateCcw, BookMarked } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { goOnFrom, sendAfter } from '../api/session-requests.ts'
import type { ApiError } from '../api/client.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import type { Turn } from '../log/conversation.ts'
import { focusMessage, keepFocus } from '../parts/focus-message.ts'
import { TurnFoot } from './turn-foot.tsx'
import { t } from '../language/language.ts'
import { useMayKeepRecords } from '../api/caller.ts'
import { late } from '../parts/late.tsx'
import { closeFloating } from '../parts/floating.tsx'
import { copyText } from '../parts/copy-text.tsx'
import { Popover } from '../parts/popover.tsx'

interface TurnActionsProps {
  readonly session: string
  readonly turn: Turn
  onEdit(): void
}

/** The last line of a turn: what its calls were, and what can be done with it. */
export function TurnActions({ session, turn, onEdit }: TurnActionsProps): ReactNode {
  const [error, setError] = useState<ApiError>()
  const [unfolded, setUnfolded] = useState(false)
  const { place, state, outcome, undone } = turn
  const after = place?.after
  const working = useRef(false)
  /** One thing at a time: a double click is one click. */
  const run = (work: () => Promise<void>): void => {
    if (working.current) return
    working.current = true
    setError(undefined)
    work()
      .catch(setError)
      .finally(() => (working.current = false))
  }
  const copy = (): void => {
    const text = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
    void copyText(text)
  }
  const again = (from: string | null): void => {
    const attachments = turn.attachments.map(({ file }) => file)
    run(() => sendAfter(session, from, { text: turn.text, attachments }).then(keepFocus))
  }
  const fork = (): void => {
    run(() => goOnFrom(session, turn.id).then(focusMessage))
  }
  const ended = state === 'ended'
  if (!ended && place?.siblings === undefined && turn.calls.length === 0) return null
  return (
    <div className="flex flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center gap-x-2 text-xs text-soft">
        <TurnFoot session={session} turn={turn} />
        {place?.siblings && <Siblings {...place.siblings} onChoose={(leaf) => run(() => goOnFrom(session, leaf))} />}
        {/* A finger cannot hover: it unfolds them. */}
        <div
          className={`flex items-center self-start transition-opacity group-focus-within/turn:opacity-100 group-hover/turn:opacity-100 [@media(hover:hover)]:opacity-0 ${unfolded ? '[@media(hover:none)]:order-last [@media(hover:none)]:w-full' : '[@media(hover:none)]:hidden'}`}
        >
          {ended && after !== undefined && (
            <>
              <IconButton label={t`Edit and send again`} onClick={onEdit}>
                <Pencil size={15} aria-hidden />
              </IconButton>
              <IconButton
                label={outcome?.type === 'failed' ? t`Try again` : t`Regenerate the answer`}
                onClick={() => again(after)}
              >
                <RotateCcw size={15} aria-hidden />
              </IconButton>
            </>
          )}
          {ended && !undone && (
            <IconButton label={t`Go on from here in a branch`} onClick={fork}>
              <GitBranch size={15} aria-hidden />
            </IconButton>
          )}
          {ended && turn.text !== '' && <SaveAsTemplate text={turn.text} />}
        </div>
        {ended && (
          <div className="flex items-center self-start">
            {turn.parts.some(({ type }) => type === 'text') && (
              <IconButton label={t`Copy the answer`} onClick={copy}>
                <Copy size={15} aria-hidden />
              </IconButton>
            )}
            <IconButton
              label={t`More to do with this turn`}
              aria-expanded={unfolded}
              className="[@media(hover:hover)]:hidden"
              onClick={() => setUnfolded(!unfolded)}
            >
              <Ellipsis size={15} aria-hidden />
            </IconButton>
          </div>
        )}
      </div>
      {place?.onward !== undefined && (
        <Onward onReturn={() => run(() => goOnFrom(session, place.onward!).then(keepFocus))} />
      )}
      {error && <ErrorNote error={error} />}
    </div>
  )
}

interface SiblingsProps {
  readonly at: number
  readonly leaves: readonly string[]
  onChoose(leaf: string): void
}

/** The version that was asked for, and the button: the one of the turn that takes this one's place gets the focus. */
let chosen: { readonly label: string; readonly leaf: string } | undefined

/** `2 of 3`: the turns that follow the same one, and the way to those beside this one. */
function Siblings({ at, leaves, onChoose }: SiblingsProps): ReactNode {
  const group = useRef<HTMLDivElement>(null)
  const leaf = leaves[at]
  useEffect(() => {
    if (chosen?.leaf !== leaf) return
    const { label } = chosen!
    chosen = undefined
    const buttons = [...group.current!.querySelectorAll<HTMLButtonElement>('button:enabled')]
    const button = buttons.find((each) => each.ariaLabel === label) ?? buttons[0]
    button?.focus()
  }, [leaf])
  const choose = (label: string, next: string): void => {
    chosen = { label, leaf: next }
    onChoose(next)
  }
  return (
    <div ref={group} role="group" aria-label={t`Versions of this message`} className="flex items-center">
      <IconButton
        label={t`Previous version`}
        disabled={at === 0}
        onClick={() => choose(t`Previous version`, leaves[at - 1]!)}
      >
        <ChevronLeft size={15} aria-hidden />
      </IconButton>
      <span className="tabular-nums" aria-live="polite">
        {t`${at + 1} of ${leaves.length}`}
      </span>
      <IconButton
        label={t`Next version`}
        disabled={at === leaves.length - 1}
        onClick={() => choose(t`Next version`, leaves[at + 1]!)}
      >
        <ChevronRight size={15} aria-hidden />
      </IconButton>
    </div>
  )
}

function Onward({ onReturn }: { onReturn(): void }): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-raised px-3 py-2 text-sm">
      <p role="status" className="mr-auto text-soft">
        {t`The next message begins a branch here. What followed is kept.`}
      </p>
      <Button look="plain" onClick={onReturn}>
        {t`Show what followed`}
      </Button>
    </div>
  )
}

const SaveTemplate = late(() => import('./save-template.tsx'))

/** Saves a message that was sent. */
function SaveAsTemplate({ text }: { readonly text: string }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  if (!useMayKeepRecords()) return null
  return (
    <Popover
      label={t`Save the message`}
      trigger={
        <IconButton label={t`Save the message as a template`}>
          <BookMarked size={15} aria-hidden />
        </IconButton>
      }
    >
      <div ref={box}>
        <SaveTemplate text={text} autoFocus onSaved={() => closeFloating(box.current!)} />
      </div>
    </Popover>
  )
}
