import type { ReactNode } from 'react'
import type { UsageReport } from '../api/resources.ts'
import { callsText, count, dollars } from '../parts/numbers.ts'

export type Total = UsageReport['total']

export function UsageTotals({ total }: { readonly total: Total }): ReactNode {
  const figures = [
    { name: 'Calls', value: count(total.calls) },
    { name: 'Prompts', value: count(total.prompt), below: 'tokens' },
    { name: 'Answers', value: count(total.output), below: 'tokens' },
    { name: 'Money', value: moneyText(total), ...(total.money === undefined ? { below: 'not known' } : {}) },
  ]
  return (
    <section aria-label="Together" className="flex flex-col gap-3">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(({ name, value, below }) => (
          <div key={name} className="rounded-lg border border-line bg-raised px-3 py-2">
            <dt className="text-xs text-soft">{name}</dt>
            <dd className="text-lg font-semibold tabular-nums">
              {value}
              {below !== undefined && <span className="ms-1 text-xs font-normal text-soft">{below}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-soft">
        Of the prompts, {count(total.fresh)} tokens were read fresh, {count(total.cached)} from a cache, and{' '}
        {count(total.written)} were written to one. {moneyWords(total)}
      </p>
    </section>
  )
}

/** `+` behind a sum that some calls are not in. */
export function moneyText({ money, unreported, unpriced }: Total): string {
  if (money === undefined) return '–'
  return `${dollars(money)}${unreported + unpriced > 0 ? '+' : ''}`
}

/** What the sum of money is, and which calls are not in it. */
export function moneyWords({ calls, money, unreported, unpriced, waiting }: Total): string {
  if (calls === 0) return ''
  const held = waiting === undefined ? '' : ` ${callsText(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a budget.`
  const left = [
    ...(unpriced === 0 ? [] : [`${callsText(unpriced)} of models whose price is not known`]),
    ...(unreported === 0 ? [] : [`${callsText(unreported)} without a complete report`]),
  ]
  const known = money === undefined ? 'No money can be given' : `The money is by the prices that are known now`
  if (left.length === 0) return `${known}.${held}`
  return `${known}${money === undefined ? ':' : '; not in it:'} ${left.join(' and ')}.${held}`
}
