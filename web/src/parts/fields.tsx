import { type ComponentProps, type ReactNode, useId } from 'react'

const look = 'w-full rounded-lg border border-strong-line bg-ground px-3 py-1.5 text-sm disabled:opacity-60'

interface FieldProps {
  readonly label: string
  /** Below the field: what it is for. */
  readonly hint?: ReactNode
  /** Below the field in place of the hint: what is wrong with it. */
  readonly problem?: string | undefined
}

/** A line of text with its label. */
export function TextField({ label, hint, problem, ...rest }: FieldProps & ComponentProps<'input'>): ReactNode {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => <input {...described} {...rest} className={look} />}
    </Field>
  )
}

/** A text of several lines with its label. It grows with what is in it, from one line where `rows` is 1. `mono`: each sign counts. */
export function TextArea({
  label,
  hint,
  problem,
  mono = false,
  ...rest
}: FieldProps & ComponentProps<'textarea'> & { readonly mono?: boolean }): ReactNode {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <textarea
          {...described}
          dir="auto"
          {...rest}
          className={`${look} field-sizing-content ${rest.rows === 1 ? 'max-h-40' : 'max-h-[60dvh] min-h-20'} leading-relaxed ${mono ? 'font-mono' : ''}`}
        />
      )}
    </Field>
  )
}

/** One of several values: the list of the browser, since the page may add no styles of its own for another one. */
export function Select({
  label,
  hint,
  problem,
  options,
  ...rest
}: FieldProps &
  ComponentProps<'select'> & {
    readonly options: readonly { readonly value: string; readonly title: string }[]
  }): ReactNode {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(described) => (
        <select {...described} {...rest} className={look}>
          {options.map(({ value, title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A number between two bounds, with its value beside the label. */
export function Slider({
  label,
  hint,
  problem,
  shown,
  ...rest
}: FieldProps & ComponentProps<'input'> & { readonly shown: string }): ReactNode {
  return (
    <Field label={`${label}: ${shown}`} hint={hint} problem={problem}>
      {(described) => <input type="range" {...described} {...rest} className="w-full accent-accent" />}
    </Field>
  )
}

interface Described {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

function Field({
  label,
  hint,
  problem,
  children,
}: FieldProps & { readonly children: (described: Described) => ReactNode }): ReactNode {
  const id = useId()
  const below = problem ?? hint
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': below === undefined ? undefined : `${id}-below`,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {below !== undefined && (
        <p id={`${id}-below`} className={`text-xs ${problem === undefined ? 'text-soft' : 'text-bad'}`}>
          {below}
        </p>
      )}
    </div>
  )
}
