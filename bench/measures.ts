/** The value below which this share of the values is, 0 to 1: 0.5 is the median. 0 where there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The first word of the command line that is no option, as a number. */
export function givenNumber(otherwise: number): number {
  return Number(process.argv.slice(2).find((word) => !word.startsWith('--')) ?? otherwise)
}
