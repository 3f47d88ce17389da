import type { ReactNode } from 'react'
import type { CostReport } from '../api/resources.ts'
import { cacheWords, callsText, count, dollars, percent } from '../parts/numbers.ts'
import { FigureTable, Totals, RowName } from './usage-bar.tsx'
import { nounOf, titleOf } from './usage-range.ts'
import { t } from '../language/language.ts'

/** What the money of a time was spent on. */
export function CostsMoney({ report }: { readonly report: CostReport }): ReactNode {
  const { calls, waiting, unpriced, money, savedNanoDollars } = report.total
  // What is not known is no $0.
  const isKnown = money !== undefined && (money > 0 || unpriced === 0)
  const figures = [
    {
      name: t`Cost`,
      value: isKnown ? dollars(money) : calls === 0 ? t`nothing yet` : t`not known`,
      figure: { 'data-figure': 'money', 'data-value': money ?? '' },
    },
    { name: t`Calls`, value: count(calls) },
    ...(money === undefined ? [] : [{ name: t`The cache`, value: cacheWords(savedNanoDollars / 1e9) }]),
  ]
  return (
    <>
      <section aria-label={t`Together`} className="flex flex-col gap-3">
        <Totals figures={figures} />
        {waiting !== undefined && (
          <p className="text-sm text-soft">
            {waiting === 1
              ? t`1 call waits for a budget: not sent, and without a cost yet.`
              : t`${waiting} calls wait for a budget: not sent, and without a cost yet.`}
          </p>
        )}
        {unpriced > 0 && (
          <p className="text-sm text-soft">
            {unpriced === calls
              ? t`No call has a known price or a complete report of its usage.`
              : t`Not in it: ${callsText(unpriced)} without a known price or a complete report of its usage.`}
          </p>
        )}
      </section>
      <CostsTable {...report} />
    </>
  )
}

type Row = CostReport['rows'][number]

/** What the money was spent on: the dearest first, days from the newest. */
function CostsTable({ by, rows, rest, total }: CostReport): ReactNode {
  const all: readonly TableRow[] = rest ? [...rows, rest] : rows
  return (
    <FigureTable
      caption={t`Costs by ${nounOf(by)}`}
      first={titleOf(by)}
      rows={all}
      keyOf={(row) => ('rows' in row ? 'rest' : (row.key ?? ''))}
      name={(row) => ('rows' in row ? t`${row.rows} more` : <RowName by={by} row={row} />)}
      most={Math.max(...rows.map(({ nanoDollars }) => nanoDollars), 1)}
      bar={({ nanoDollars }) => [{ id: 'money', color: 'var(--slot-input)', tokens: nanoDollars }]}
      columns={[
        { title: t`Calls`, figure: ({ calls }) => count(calls) },
        {
          title: t`Share`,
          wide: true,
          figure: ({ money, nanoDollars }) =>
            total.nanoDollars > 0 && money !== undefined && percent(nanoDollars / total.nanoDollars),
        },
        { title: t`Cost`, figure: (row) => <Cost row={row} />, value: ({ money }) => ['money', money] },
      ]}
    />
  )
}

type TableRow = Row | NonNullable<CostReport['rest']>

function Cost({ row: { calls, money, unpriced, waiting } }: { readonly row: TableRow }): ReactNode {
  const notes = [
    ...(waiting === undefined ? [] : [t`${callsText(waiting)} waiting`]),
    ...(money !== undefined && unpriced > 0 ? [t`without ${callsText(unpriced)}`] : []),
  ]
  return (
    <>
      {money === undefined ? calls > 0 && t`not known` : dollars(money)}
      {notes.map((note) => (
        <span key={note} className="block text-xs text-soft">
          {note}
        </span>
      ))}
    </>
  )
}
