import type { ReactNode } from 'react'
import { createShared } from './asked.ts'
import { Button } from './button.tsx'

/** A message at the edge of the page that goes by itself, with at most one action such as Undo. */
export interface Toast {
  readonly text: string
  readonly action?: { readonly label: string; run(): void }
  /** How long it is shown, ms. */
  readonly ms?: number
}

interface ShownToast extends Toast {
  readonly id: number
}

const SHOWN_MS = 6_000

const toasts = createShared<readonly ShownToast[]>([])
let count = 0

/** Shows a message. Returns a function that takes it away. */
export function showToast(toast: Toast): () => void {
  const id = ++count
  const remove = (): void => removeToast(id)
  toasts.set([...toasts.get(), { ...toast, id }])
  setTimeout(remove, toast.ms ?? SHOWN_MS)
  return remove
}

function removeToast(id: number): void {
  toasts.set(toasts.get().filter((each) => each.id !== id))
}

/** The place where messages appear; once in the page. */
export function Toasts(): ReactNode {
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 bottom-24 z-50 flex flex-col items-center gap-2 p-4"
    >
      {toasts.use().map(({ id, text, action }) => (
        <div
          key={id}
          className="pointer-events-auto flex items-center gap-3 rounded-lg border border-line bg-raised px-3 py-2 text-sm shadow-lg"
        >
          <span>{text}</span>
          {action && (
            <Button
              look="plain"
              onClick={() => {
                removeToast(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}
