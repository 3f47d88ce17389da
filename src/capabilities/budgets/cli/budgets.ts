import type { BudgetReport, Command, Io } from '../../../capability.ts'
import { jsonOption, note, print, requestJson, rowTable, answerCommand } from '../../../cli.ts'
import { exactLine, numberText } from '../../../context.ts'

export const budgetsCommand: Command = {
  name: 'budgets',
  group: 'money',
  summary: 'show what is spent, held and left of each budget',
  usage: ['budgets [--json]'],
  details:
    'Budgets are set in `budgets` of config.json. `spent` has the calls of the log from before the budget, too. `held` is what calls that run can cost at most. A call that could pass a limit ' +
    'waits: decide about it with `foreword approve`.',
  words: { least: 0, most: 0 },
  options: { json: { ...jsonOption, summary: 'print {budgets}' } },
  run: answerCommand((connection) => requestJson<BudgetList>(connection, '/api/budgets'), printBudgets),
}

interface BudgetList {
  readonly budgets: readonly BudgetReport[]
}

function printBudgets({ budgets }: BudgetList, io: Io): void {
  if (budgets.length === 0) return note(io, 'There are no budgets. Set `budgets` in config.json.')
  print(io, budgetTable(budgets, io))
  const earlier = budgets.flatMap(earlierText)
  if (earlier.length > 0) note(io, `From calls before there was the budget, by the log: ${earlier.join('; ')}.`)
}

function budgetTable(budgets: readonly BudgetReport[], io: Io): string {
  const rows = budgets.map((budget) => {
    const shown = (amount: number | undefined) => (amount === undefined ? '' : amountText(budget.unit, amount))
    const { name, period = '', limit, spent, held, left } = budget
    const amounts = { limit: shown(limit), spent: shown(spent), held: shown(held), left: shown(left) }
    return { budget: exactLine(name), period, ...amounts }
  })
  return rowTable(rows, io, { right: ['limit', 'spent', 'held', 'left'], spare: ['budget', 'period'] })
}

function earlierText({ name, unit, earlier }: BudgetReport): readonly string[] {
  return earlier === undefined
    ? []
    : [`${amountText(unit, earlier)}${unit === 'tokens' ? ' tokens' : ''} of ${exactLine(name)}`]
}

function amountText(unit: BudgetReport['unit'], amount: number): string {
  if (unit === 'tokens') return numberText(amount)
  const digits = amount === 0 || Math.abs(amount) >= 0.1 ? 2 : 4
  return `${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(digits)}`
}
