import type { z } from 'zod'
import { ForewordError, nearestHint } from '../../platform.ts'
import { type KeyPath, type KeySchema, namesAt, schemaAt } from './key.ts'

/** Something that is wrong with the configuration. Never repeats a value: it may be a secret. */
export interface ConfigurationProblem {
  /** Such as `gateway.port`; empty for the file as a whole. */
  readonly key: string
  /** Where it was set: `config.json:3:11` (line and column), or the name of an environment variable. */
  readonly place: string
  readonly message: string
  readonly hint: string
}

/** Thrown where nothing can be done before the configuration is corrected. */
export class ConfigurationError extends ForewordError {
  override readonly name = 'ConfigurationError'
  readonly problems: readonly ConfigurationProblem[]

  constructor(problems: readonly ConfigurationProblem[]) {
    super('configuration', problems.map(problemText).join('\n'), { problems })
    this.problems = problems
  }
}

/** `config.json:3:11: gateway.port must be a number, not a string. Port that the gateway listens on.` */
export function problemText({ key, place, message, hint }: ConfigurationProblem): string {
  return `${place}: ${[key, message].filter((text) => text !== '').join(' ')}. ${hint}`.trimEnd()
}

/** A fault that the schema found, at the key that has to be changed. */
export interface Fault {
  readonly path: KeyPath
  readonly message: string
  readonly hint: string
}

/** What the issues of the schema come to, each at the key that has to be changed. A missing value is named if the issues have their `input`. */
export function faultsFromIssues(issues: readonly z.core.$ZodIssue[], json: KeySchema): readonly Fault[] {
  return issues.flatMap((issue) => faultsFromIssue(issue, issue.path.map(String), json))
}

function faultsFromIssue(issue: z.core.$ZodIssue, path: KeyPath, json: KeySchema): readonly Fault[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownKey([...path, name], json))
  if (issue.code === 'invalid_union') return unionFaults(issue, path, json)
  const isMissing = 'input' in issue && issue.input === undefined
  const message = isMissing ? `is missing; it ${issueMessage(issue)}` : issueMessage(issue)
  return [{ path, message, hint: keyDescription(path, json) }]
}

/** Of several things that a value may be, the one that it came closest to. */
function unionFaults(issue: z.core.$ZodIssueInvalidUnion, path: KeyPath, json: KeySchema): readonly Fault[] {
  const branches = issue.errors.map((issues) =>
    issues.flatMap((inner) => faultsFromIssue(inner, [...path, ...inner.path.map(String)], json)),
  )
  const deeper = branches.find((faults) => faults.every((fault) => fault.path.length > path.length))
  return deeper ?? branches[0] ?? [{ path, message: 'is not allowed', hint: keyDescription(path, json) }]
}

function unknownKey(path: KeyPath, json: KeySchema): Fault {
  const name = path.at(-1)!
  const beside = path.slice(0, -1)
  if (/^(api|secret)?_?key$|^token$|^password$|^secret$/i.test(name)) {
    const hint = 'A secret does not belong here: name an environment variable or a file that holds it.'
    return { path, message: 'is not a key', hint: `${hint} Known here: ${namesAt(beside, json).join(', ')}.` }
  }
  const known = namesAt(beside, json)
  const written = (near: string) => [...beside, near].join('.')
  return { path, message: 'is not a key', hint: nearestHint(name, known, `Known here: ${known.join(', ')}.`, written) }
}

function issueMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(issue.expected)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    default:
      return issue.message
  }
}

function typeName(type: string): string {
  const words: Readonly<Record<string, string>> = {
    int: 'a whole number',
    number: 'a number',
    string: 'a text',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
  }
  return words[type] ?? type
}

function keyDescription(path: KeyPath, json: KeySchema): string {
  return schemaAt(path, json)?.description ?? ''
}
