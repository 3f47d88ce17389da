import type { Argument } from './tools-json.ts'

/** A value as one argument of a program (BEHAVIOURS §1.5), or `undefined` for what has no such form. */
export function argumentText({ normalizeNewlines }: Argument, value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return decimalText(value)
  if (typeof value !== 'string') return undefined
  return normalizeNewlines ? value.replaceAll(/\\[nt]/g, (found) => (found === '\\n' ? '\n' : '\t')) : value
}

/** Whether a value sets the flag of a `flagifboolean`: true, "true" in any case, an integer other than zero. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value !== 0
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
}

/** All digits of a number, without an exponent. */
function decimalText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  if (Number.isInteger(value)) return BigInt(value).toString()
  const [digits = '', exponent] = String(value).split('e-')
  if (exponent === undefined) return digits
  const sign = digits.startsWith('-') ? '-' : ''
  const figures = digits.replaceAll(/[-.]/g, '')
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${figures}`
}
