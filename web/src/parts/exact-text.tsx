import type { ReactNode } from 'react'
import { LongText } from './long-text.tsx'

/** A text exactly as it is, in a box that scrolls. */
export function ExactText({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <pre
      role="region"
      aria-label={label}
      dir="auto"
      tabIndex={0}
      className="max-h-80 overflow-auto rounded border border-line bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere"
    >
      <LongText text={text} />
    </pre>
  )
}
