import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import type { z } from 'zod'
import { layouts } from './layouts.ts'
import { type Scenario, scenarioSchema } from './scenario-schema.ts'

/**
 * Reads scenarios from a text: one JSON document or an array of them, comments and a last comma allowed, or JSON Lines
 * without either. Throws a `ScenarioError` that names the line where the text is not JSON. Each value still has to pass
 * `runScenario`.
 */
export function readScenarios(marked: string): readonly unknown[] {
  // Some editors put a byte order mark in front, which is no JSON.
  const text = marked.replace(/^\uFEFF/, '')
  const whole = parsedWhole(text)
  if ('value' in whole) return Array.isArray(whole.value) ? (whole.value as unknown[]) : [whole.value]
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const filled = lines.filter(({ line }) => line !== '')
  if (filled.length < 2 || !('value' in parsed(filled[0]!.line))) {
    throw new ScenarioError('text', [`it is neither JSON nor JSON Lines: ${whole.problem}`])
  }
  return filled.map(({ line, number }) => {
    const one = parsed(line)
    if ('value' in one) return one.value
    throw new ScenarioError('text', [`line ${number} is not JSON: ${one.problem}`])
  })
}

type Parsed = { readonly value: unknown } | { readonly problem: string }

/** Tries `JSON.parse` first: few scenarios have comments, and plain JSON must mean what `JSON.parse` makes of it. */
function parsedWhole(text: string): Parsed {
  const plain = parsed(text)
  if ('value' in plain) return plain
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined) return { value }
  const line = text.slice(0, first.offset).split('\n').length
  const words = printParseErrorCode(first.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return { problem: `${words.toLowerCase()} (line ${line})` }
}

function parsed(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** An invalid scenario: lists every problem with its key. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly problems: readonly string[]

  constructor(scenario: string, problems: readonly string[]) {
    super(`Scenario ${scenario} is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** What a schema found, one line for each problem: the key it is at, then what is expected there. */
function scenarioProblems(issues: readonly z.core.$ZodIssue[]): readonly string[] {
  return issues.flatMap((issue) => problemsAt(issue, []))
}

function problemsAt(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly string[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    const closest = closestBranch(issue)
    if (closest) return closest.flatMap((inner) => problemsAt(inner, path))
    const expected = issue.errors.flat().flatMap((inner) => ('expected' in inner ? [inner.expected] : []))
    if (expected.length > 0)
      return [`${formatPath(path)}: Invalid input: expected ${[...new Set(expected)].join(' or ')}`]
  }
  return [`${formatPath(path)}: ${issue.message}`]
}

/** Of the things that a value may be, the one whose kind it has: the problems of that one are inside the value. */
function closestBranch({ errors }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  return errors.find((issues) => issues.every(({ path, code }) => path.length > 0 || code !== 'invalid_type'))
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || '(whole)'
}

/** Checks that parsed JSON is a scenario. Throws a `ScenarioError` with all that is wrong with it. */
export function parseScenario(value: unknown): Scenario {
  const result = scenarioSchema.safeParse(value)
  const given = (value as { name?: unknown } | null)?.name
  const name = typeof given === 'string' ? `"${given}"` : 'without a name'
  if (!result.success) throw new ScenarioError(name, scenarioProblems(result.error.issues))
  const problems = findProblems(result.data)
  if (problems.length > 0) throw new ScenarioError(name, problems)
  return result.data
}

function findProblems({ layout, layers, history, current, attachments, tools }: Scenario): readonly string[] {
  const base = typeof layout === 'string' ? layout : layout.extends
  return [
    ...(Object.hasOwn(layouts, base)
      ? []
      : [`layout: unknown layout "${base}"; choose one of ${Object.keys(layouts).join(', ')}`]),
    ...repeated(
      'layers and attachments',
      [...layers, ...attachments].map((one) => one.id),
    ),
    ...repeated(
      'turns',
      [...history, current].map((one) => one.id),
    ),
    ...repeated(
      'tools',
      tools.map((one) => one.name),
    ),
  ]
}

function repeated(what: string, ids: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const twice = new Set(ids.filter((one) => seen.size === seen.add(one).size))
  return [...twice].map((one) => `${what}: "${one}" is used more than once; every id must be unique`)
}
