import type { BudgetReport } from '../../../src/capability.ts'
import type { ReactNode } from 'react'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { dollars } from '../parts/numbers.ts'
import { UsageBar } from './usage-bar.tsx'
import { t } from '../language/language.ts'

/** A budget in its present period, as `GET /api/budgets` lists it; one of each turn or session has a limit alone. */
interface ListedBudget {
  readonly name: string
  readonly unit: 'usd' | 'tokens'
  /** All members of this group share it; what they have spent is for the owner alone. */
  readonly group?: string
  readonly period?: string
  readonly limit: number
  readonly spent?: number
  /** Reserved for calls that run. */
  readonly held?: number
  readonly left?: number
}

/** How often the budgets are read again, ms. */
const AGAIN_MS = 10_000

/** What is left of each budget of the configuration; nothing where there is none, or where the gateway has them left out. */
export function CostsBudgets(): ReactNode {
  const { data, error } = useResource<{ readonly budgets: readonly BudgetReport[] }>('/api/budgets', {
    refreshInterval: AGAIN_MS,
  })
  if (error && data === undefined) return error.code === 'not-found' ? null : <ErrorNote error={error} />
  if (data === undefined || data.budgets.length === 0) return null
  return (
    <section aria-labelledby="budgets" className="flex flex-col gap-2">
      <h2 id="budgets" className="text-sm font-medium">
        {t`Budgets`}
      </h2>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {data.budgets.map((budget) => (
          <li key={`${budget.name} ${budget.unit} ${budget.limit}`} className="px-3 py-2 text-sm">
            <Budget budget={budget} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Budget({
  budget: { name, unit, group, period, limit, spent, held = 0, left },
}: {
  readonly budget: ListedBudget
}) {
  const amount = (value: number): string => (unit === 'usd' ? dollars(value) : t`${value} tokens`)
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return (
    <>
      <div className="flex flex-wrap justify-between gap-x-3">
        <span className="break-words">
          <bdi>{title}</bdi>
          {period !== undefined && <span className="text-soft">{` ${period}`}</span>}
        </span>
        <span className="tabular-nums">
          {left !== undefined
            ? t`${amount(Math.max(0, left))} of ${amount(limit)} left`
            : group === undefined
              ? t`${amount(limit)} each`
              : t`${amount(limit)} together`}
        </span>
      </div>
      {spent !== undefined && (
        <>
          <UsageBar
            most={Math.max(limit, spent + held)}
            parts={[
              { id: 'spent', color: 'var(--slot-input)', tokens: spent },
              { id: 'held', color: 'var(--slot-tools)', tokens: held },
            ]}
          />
          <p className="mt-1 text-xs text-soft">
            {held > 0 ? t`${amount(spent)} spent, ${amount(held)} held for calls that run` : t`${amount(spent)} spent`}
          </p>
        </>
      )}
    </>
  )
}
