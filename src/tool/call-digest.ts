import { hash } from 'node:crypto'
import type { CallDescription } from './planned-call.ts'

/** SHA-256 of a call as a person is shown it, as JSON, whatever the order of its keys: lowercase hexadecimal. */
export function callDigest(call: CallDescription): string {
  const shown: unknown = JSON.parse(JSON.stringify(call))
  return hash('sha256', JSON.stringify(sorted(shown)), 'hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
