import type { ReactNode } from 'react'

export function EntryText({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <pre
      aria-label={label}
      role="region"
      dir="auto"
      tabIndex={0}
      className="max-h-72 overflow-auto rounded border border-line bg-sunken p-2 font-mono whitespace-pre-wrap"
    >
      {text}
    </pre>
  )
}
