import type { BudgetReport, Command, CommandCall, Io } from '../../capability.ts'
import { exactLine } from '../../context.ts'
import { requestJson } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import { withConnection } from '../connection.ts'
import { lineLimit, note, print, printJson } from '../io.ts'
import { fittedTable } from '../table.ts'

export const budgetsCommand: Command = {
  name: 'budgets',
  summary: 'show what is spent, held and left of each budget',
  usage: ['budgets [--json]'],
  details:
    'Budgets are set in `budgets` of config.json. `spent` has the calls of the log from before the budget, too. `held` is what calls that run can cost at most. A call that could pass a limit ' +
    'waits: decide about it with `foreword approve`.',
  words: { least: 0, most: 0 },
  options: { json: { ...jsonOption, summary: 'print {budgets}' } },
  run: printBudgets,
}

async function printBudgets(call: CommandCall, io: Io): Promise<number> {
  const report = await withConnection(call.home, io, 'read', (connection) =>
    requestJson<{ readonly budgets: readonly BudgetReport[] }>(connection, '/api/budgets'),
  )
  if (call.json) printJson(io, report)
  else if (report.budgets.length === 0) note(io, 'There are no budgets. Set `budgets` in config.json.')
  else {
    print(io, budgetTable(report.budgets, io))
    const earlier = report.budgets.flatMap(earlierText)
    if (earlier.length > 0) note(io, `From calls before there was the budget, by the log: ${earlier.join('; ')}.`)
  }
  return 0
}

function budgetTable(budgets: readonly BudgetReport[], io: Io): string {
  const rows = budgets.map((budget) => {
    const shown = (amount: number | undefined) => (amount === undefined ? '' : amountText(budget.unit, amount))
    const { name, period = '', limit, spent, held, left } = budget
    return [exactLine(name), period, shown(limit), shown(spent), shown(held), shown(left)]
  })
  const head = ['budget', 'period', 'limit', 'spent', 'held', 'left']
  return fittedTable([head, ...rows], { right: [2, 3, 4, 5], columns: lineLimit(io), spare: [0, 1] })
}

function earlierText({ name, unit, earlier }: BudgetReport): readonly string[] {
  return earlier === undefined
    ? []
    : [`${amountText(unit, earlier)}${unit === 'tokens' ? ' tokens' : ''} of ${exactLine(name)}`]
}

function amountText(unit: BudgetReport['unit'], amount: number): string {
  if (unit === 'tokens') return amount.toLocaleString('en-US')
  const digits = amount === 0 || Math.abs(amount) >= 0.1 ? 2 : 4
  return `${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(digits)}`
}
