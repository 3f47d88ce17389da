import type { ReactNode } from 'react'

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
