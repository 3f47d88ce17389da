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

interface UsageChoiceProps<Id extends string> {
  readonly label: string
  /** Unique on the page. */
  readonly name: string
  readonly options: readonly { readonly id: Id; readonly title: string }[]
  readonly value: Id
  onChange(id: Id): void
}

export function UsageChoice<Id extends string>(props: UsageChoiceProps<Id>): ReactNode {
  const { label, name, options, value, onChange } = props
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="float-left mb-1 text-sm font-medium">{label}</legend>
      <div className="clear-both flex flex-wrap gap-1">
        {options.map(({ id, title }) => (
          <label
            key={id}
            className="cursor-pointer rounded-lg border border-line px-2.5 py-1 text-sm hover:border-strong-line has-checked:border-accent has-checked:bg-accent has-checked:text-accent-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input type="radio" name={name} className="sr-only" checked={id === value} onChange={() => onChange(id)} />
            {title}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
