import { phrase } from '../../context.ts'
import type { Finding } from '../../capability.ts'

/** A finding of `foreword doctor` with nothing to do. `check` names what was checked; `message` is a phrase. */
export function ok(check: string, message: string): Finding {
  return { check, level: 'ok', message }
}

/** A finding that does not keep Foreword from working. `hint` is a sentence that says how to fix it. */
export function warning(check: string, message: string, hint: string): Finding {
  return { check, level: 'warning', message, hint }
}

/** A finding that keeps Foreword from working, and makes `foreword doctor` exit with 1. */
export function problem(check: string, message: string, hint: string): Finding {
  return { check, level: 'problem', message, hint }
}

/** The first of some names, and how many more there are: `a, b and 3 more`. */
export function firstNames(names: readonly string[], most: number): string {
  const first = names.slice(0, most).join(', ')
  return names.length > most ? phrase`${first} and ${names.length - most} more` : first
}
