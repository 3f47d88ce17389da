import { z } from 'zod'
import { ForewordError } from '../../platform.ts'

export type ScheduleBudget = z.output<typeof budgetSchema>

export const budgetSchema = z
  .union([
    z.strictObject({ usd: z.number().positive().max(1_000_000).describe('US dollars.') }),
    z.strictObject({ tokens: z.int().min(1).max(10_000_000_000).describe('Of prompts and answers together.') }),
  ])
  .describe('The most that one run may use.')

/** Reads `0.50`, `$0.50` and `20000tokens`. Throws `invalid-input`. */
export function parseBudget(text: string): ScheduleBudget {
  const [, dollars] = /^\$?(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? []
  const [, tokens] = /^(\d+) ?tokens?$/i.exec(text.trim().replaceAll(/[,_](?=\d{3})/g, '')) ?? []
  const read = budgetSchema.safeParse(dollars === undefined ? { tokens: Number(tokens) } : { usd: Number(dollars) })
  if (read.success) return read.data
  throw new ForewordError('invalid-input', `Cannot read the budget ${JSON.stringify(text.slice(0, 50))}.`, {}, { hint })
}

const hint = 'Write US dollars, such as 0.50, or tokens, such as 20000tokens. It is what one run may use.'

export function budgetText(budget: ScheduleBudget): string {
  return 'usd' in budget ? `$${dollars.format(budget.usd)}` : `${budget.tokens.toLocaleString('en')} tokens`
}

const dollars = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })
