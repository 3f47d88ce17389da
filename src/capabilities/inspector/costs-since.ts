import { type CostSums, RuntimeError, type Runtime } from '../../capability.ts'
import { defined } from '../../platform.ts'

interface CostsQuestion {
  /** A group of costs; `day` where absent. */
  readonly by: string | undefined
  readonly since: string | undefined
  readonly session: string | undefined
  readonly timeZone: string
  readonly now: string
}

const DAYS = 30
const DAY_MS = 86_400_000
const MOST_ROWS = 50
const NANO = 1e9

/** Sessions have their ids and no titles: a title can be how its conversation begins. */
export async function costsSince(runtime: Pick<Runtime, 'costs'>, asked: CostsQuestion): Promise<object> {
  const { by = 'day', timeZone: zone, session } = asked
  const from = startOf(asked)
  const { total, rows, rest } = await runtime.costs({ by, zone, from, limit: MOST_ROWS, ...defined({ session }) })
  return {
    by,
    since: from,
    zone,
    total: sums(total),
    rows: rows.map((row) => ({ key: row.key, ...sums(row) })),
    ...(rest && { rest: { rows: rest.rows, ...sums(rest) } }),
  }
}

function startOf({ since, now }: CostsQuestion): string {
  const at = since === undefined ? Date.parse(now) - DAYS * DAY_MS : Date.parse(since)
  if (Number.isFinite(at) && (since === undefined || /^\d{4}-\d{2}-\d{2}/.test(since)))
    return new Date(at).toISOString()
  throw new RuntimeError('invalid-input', 'since must be a date or a time in ISO 8601, such as 2026-11-01.')
}

function sums({ calls, waiting, unpriced, nanoDollars, savedNanoDollars: saved }: CostSums): object {
  return {
    calls,
    unpriced,
    usd: nanoDollars / NANO,
    ...defined({ waiting, saved_usd: saved === undefined ? undefined : saved / NANO }),
  }
}
