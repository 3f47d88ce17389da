import { Pencil, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../parts/icon-button.tsx'
import type { Turn } from './conversation.ts'

interface QueuedMessagesProps {
  readonly turns: readonly Turn[]
  /** Takes a message back; where `edits` is set, into the message field. */
  onTakeBack(turn: Turn, edits: boolean): Promise<void>
}

/** The messages that wait for the running turn, in their order. None of them is read before its turn. */
export function QueuedMessages({ turns, onTakeBack }: QueuedMessagesProps): ReactNode {
  if (turns.length === 0) return null
  return (
    <section aria-label="Messages that wait" className="rounded-lg border border-line bg-ground text-sm">
      <ol className="max-h-[25vh] divide-y divide-line overflow-y-auto">
        {turns.map((turn, index) => (
          <li key={turn.id} className="flex items-center gap-1 ps-3 pe-1">
            <span className="shrink-0 text-xs text-soft">Waits · {index + 1}</span>
            <p dir="auto" className="min-w-0 flex-1 truncate px-1" title={turn.text}>
              {turn.text}
              {turn.attachments.length > 0 && (
                <span className="text-soft"> ({turn.attachments.map(({ name }) => name).join(', ')})</span>
              )}
            </p>
            <IconButton label={`Take back and edit message ${index + 1}`} onClick={() => void onTakeBack(turn, true)}>
              <Pencil size={14} aria-hidden />
            </IconButton>
            <IconButton label={`Remove message ${index + 1}`} onClick={() => void onTakeBack(turn, false)}>
              <X size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ol>
    </section>
  )
}
