import type { z } from 'zod'

/** What a schema found, one line for each problem: the key it is at, then what is expected there. */
export function scenarioProblems(issues: readonly z.core.$ZodIssue[]): readonly string[] {
  return issues.flatMap((issue) => problemsAt(issue, []))
}

function problemsAt(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly string[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    const closest = closestBranch(issue)
    if (closest) return closest.flatMap((inner) => problemsAt(inner, path))
    const expected = issue.errors.flat().flatMap((inner) => ('expected' in inner ? [inner.expected] : []))
    if (expected.length > 0) return [`${keyOf(path)}: Invalid input: expected ${[...new Set(expected)].join(' or ')}`]
  }
  return [`${keyOf(path)}: ${issue.message}`]
}

/** Of the things that a value may be, the one whose kind it has: the problems of that one are inside the value. */
function closestBranch({ errors }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  return errors.find((issues) => issues.every(({ path, code }) => path.length > 0 || code !== 'invalid_type'))
}

function keyOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || '(whole)'
}
