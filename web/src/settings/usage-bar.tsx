import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { FigureProps } from '../inspector/figure.tsx'
import { Select } from '../parts/fields.tsx'
import { useMedia } from '../parts/use-media.ts'
import { dayText } from './usage-range.ts'
import { t } from '../language/language.ts'

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

/** One of several: all of them beside each other, or a list where the screen is narrow. */
export function UsageChoice<Id extends string>(props: UsageChoiceProps<Id>): ReactNode {
  const { label, name, options, value, onChange } = props
  const isWide = useMedia('(width >= 40rem)')
  if (!isWide) {
    return (
      <div className="min-w-0 flex-1">
        <Select
          label={label}
          value={value}
          options={options.map(({ id, title }) => ({ value: id, title }))}
          onChange={({ target }) => onChange(target.value as Id)}
        />
      </div>
    )
  }
  return (
    <fieldset className="w-full">
      <legend className="float-left w-20 py-1 text-sm font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1">
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

interface TotalsProps {
  readonly figures: readonly {
    readonly name: string
    readonly value: string
    readonly below?: string
    /** Attributes of the figure. */
    readonly figure?: Readonly<Record<`data-${string}`, string | number>>
  }[]
}

/** The figures of all rows together. */
export function Totals({ figures }: TotalsProps): ReactNode {
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
      {figures.map(({ name, value, below, figure }) => (
        <div
          key={name}
          className="rounded-lg border border-line bg-raised px-3 py-2 odd:last:col-span-2 sm:odd:last:col-span-1"
        >
          <dt className="text-xs text-soft">{name}</dt>
          <dd {...figure} className="text-lg font-semibold tabular-nums">
            {value}
            {below !== undefined && <span className="ms-1 text-xs font-normal text-soft">{below}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface FigureTableProps<Row> {
  /** For screen readers. */
  readonly caption: string
  /** Title of the first column. */
  readonly first: string
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  name(row: Row): ReactNode
  /** The parts of the bar below the name, and the longest bar of all rows. */
  bar(row: Row): UsageBarProps['parts']
  readonly most: number
  /** Below the bar. */
  below?(row: Row): ReactNode
  readonly columns: readonly FigureColumn<Row>[]
}

interface FigureColumn<Row> {
  readonly title: string
  /** Left out on narrow screens. */
  readonly wide?: boolean
  figure(row: Row): ReactNode
  /** What the figure is, as in `Figure`, and its number. */
  value?(row: Row): readonly [kind: FigureProps['kind'], value: number | undefined]
}

/** Names with their bars to scale, and the figures of each. */
export function FigureTable<Row>({ caption, first, rows, columns, ...of }: FigureTableProps<Row>): ReactNode {
  const hidden = (wide = false): string => (wide ? 'hidden sm:table-cell' : '')
  return (
    <table className="w-full text-sm tabular-nums">
      <caption className="sr-only">{caption}</caption>
      <thead className="text-xs text-soft">
        <tr className="border-b border-line align-bottom">
          <th scope="col" className="py-1.5 text-start font-medium">
            {first}
          </th>
          {columns.map(({ title, wide }) => (
            <th
              key={title}
              scope="col"
              className={`py-1.5 ps-3 text-end font-medium whitespace-nowrap ${hidden(wide)}`}
            >
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={of.keyOf(row)} className="border-b border-line align-top">
            <th scope="row" className="w-full max-w-0 py-2 text-start font-normal">
              <bdi className="block break-words">{of.name(row)}</bdi>
              <UsageBar most={of.most} parts={of.bar(row)} />
              {of.below?.(row)}
            </th>
            {columns.map(({ title, wide, figure, value }) => {
              const [kind, number = ''] = value?.(row) ?? []
              return (
                <td
                  key={title}
                  className={`py-2 ps-3 text-end whitespace-nowrap ${hidden(wide)}`}
                  {...(kind && { 'data-figure': kind, 'data-row': of.keyOf(row), 'data-value': number })}
                >
                  {figure(row)}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Names of rows without a key. */
const nameOfNone: Readonly<Record<string, string>> = {
  layer: t`Not divided`,
  skill: t`Everything but skills`,
  tool: t`Everything but tools`,
  agent: t`No agent`,
  session: t`Outside sessions`,
  token: t`No named token`,
}

const names: Readonly<Record<string, string>> = {
  history: t`history (earlier turns)`,
  input: t`input (the turn that is answered)`,
  tools: t`tools (definitions)`,
  answer: t`answer (what the model wrote)`,
}

interface RowNameProps {
  readonly by: string
  readonly row: { readonly key: string | null; readonly title?: string | undefined }
}

/** The name of a row of calls; of a session with a link to it. */
export function RowName({ by, row: { key, title } }: RowNameProps): ReactNode {
  if (key === null) return nameOfNone[by] ?? t`Not known`
  if (by === 'day') return dayText(key)
  if (by === 'layer') return names[key] ?? key
  if (by !== 'session') return key
  return (
    <Link href={`/sessions/${encodeURIComponent(key)}`} className="text-accent underline">
      {title ?? key}
    </Link>
  )
}
