/** Levels of lists and objects in an input. No tool asks for nearly as many. */
const DEEPEST = 128

/**
 * Why an input is not what a person could be shown of it, or `undefined`. A number beyond all bounds reads `null` in JSON,
 * so that an approval of `null` would hold for it; what is nested without end cannot be shown at all.
 */
export function jsonFault(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'it holds a number that is too large'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === DEEPEST) return `it is nested more than ${DEEPEST} levels deep`
  for (const inner of Object.values(value)) {
    const fault = jsonFault(inner, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
