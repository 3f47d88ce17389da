import type { ReactNode } from 'react'

interface UsageBarProps {
  /** Tokens of the longest bar. */
  readonly most: number
  readonly parts: readonly { readonly id: string; readonly color: string; readonly tokens: number }[]
}

/** Tokens to scale; the numbers beside it say the same. */
export function UsageBar({ most, parts }: UsageBarProps): ReactNode {
  return (
    <span aria-hidden className="mt-1 flex h-1.5 overflow-hidden rounded-full bg-sunken">
      {parts.map(({ id, color, tokens }) => (
        <span key={id} style={{ background: color, width: `${(tokens / most) * 100}%` }} />
      ))}
    </span>
  )
}

interface UsageSignsProps {
  readonly label: string
  readonly signs: readonly { readonly text: string; readonly color: string }[]
}

/** What the colours of the bars mean. */
export function UsageSigns({ label, signs }: UsageSignsProps): ReactNode {
  return (
    <ul aria-label={label} className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
      {signs.map(({ text, color }) => (
        <li key={text} className="flex items-center gap-1.5">
          <span aria-hidden className="size-2 rounded-full" style={{ background: color }} />
          {text}
        </li>
      ))}
    </ul>
  )
}
