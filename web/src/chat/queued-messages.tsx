import { Pencil, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { sendLast, withdrawTurn } from '../api/turns.ts'
import { IconButton } from '../parts/icon-button.tsx'
import { showToast } from '../parts/toasts.tsx'
import type { Turn } from './conversation.ts'
import { focusMessage } from '../parts/focus-message.ts'
import { EditQueued } from './edit-queued.tsx'

interface QueuedMessagesProps {
  readonly session: string
  readonly turns: readonly Turn[]
  /** Puts what was written into the message field. */
  onKeep(text: string, files: readonly string[]): void
}

/** The messages that wait for the running turn, in their order. None of them is read before its turn. */
export function QueuedMessages({ session, turns, onKeep }: QueuedMessagesProps): ReactNode {
  // As it was when the edit began. It stays open when the message begins to be answered: what was written is kept.
  const [edited, setEdited] = useState<Turn>()
  if (turns.length === 0 && edited === undefined) return null
  const begun = edited !== undefined && turns.every(({ id }) => id !== edited.id)
  const first = begun ? 0 : 1
  const close = (): void => {
    setEdited(undefined)
    focusMessage()
  }
  return (
    <section aria-label="Messages that wait" className="rounded-lg border border-line bg-ground text-sm">
      <ol className="max-h-[35vh] divide-y divide-line overflow-y-auto">
        {(begun ? [edited, ...turns] : turns).map((turn, index) =>
          turn.id === edited?.id ? (
            <li key={turn.id}>
              <EditQueued
                session={session}
                turn={edited}
                now={begun ? undefined : turn}
                onClose={close}
                onKeep={onKeep}
              />
            </li>
          ) : (
            <li key={turn.id} className="flex items-center gap-1 ps-3 pe-1">
              <span className="shrink-0 text-xs text-soft">Waits · {index + first}</span>
              <p dir="auto" className="min-w-0 flex-1 truncate px-1" title={turn.text}>
                {turn.text}
                {turn.attachments.length > 0 && (
                  <span className="text-soft"> ({turn.attachments.map(({ name }) => name).join(', ')})</span>
                )}
              </p>
              <IconButton label={`Edit message ${index + first}`} onClick={() => setEdited(turn)}>
                <Pencil size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={`Remove message ${index + first}`}
                onClick={() => void takeBack(session, turn).then(() => focusAfter(turns, index))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          ),
        )}
      </ol>
    </section>
  )
}

/** Withdraws a message, and offers to undo that. */
async function takeBack(session: string, turn: Turn): Promise<void> {
  const { text } = turn
  const attachments = turn.attachments.map(({ file }) => file)
  const report = (error: Pick<ApiError, 'message'>, what: string): void => {
    showToast({ text: `The message was not ${what}. ${error.message}` })
  }
  try {
    if (!(await withdrawTurn(session, turn.id))) throw new Error('It is being answered already: stop the turn instead.')
    showToast({
      text: 'The message was taken back.',
      ms: 10_000,
      action: {
        label: 'Put back',
        run: () => void sendLast(session, { text, attachments }).catch((error) => report(error as Error, 'put back')),
      },
    })
  } catch (error) {
    report(error as Error, 'taken back')
  }
}

/** The button that had the focus is gone: the next one of its kind gets it, or the message field. */
function focusAfter(turns: readonly Turn[], index: number): void {
  const next = document.querySelector<HTMLElement>(
    `[aria-label="Remove message ${Math.min(index + 1, turns.length - 1)}"]`,
  )
  if (next) next.focus()
  else focusMessage()
}
