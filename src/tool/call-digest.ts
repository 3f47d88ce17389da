import { hash } from 'node:crypto'
import type { CallDescription } from './planned-call.ts'

/** SHA-256 of a call as it was described, whatever the order of its keys: lowercase hexadecimal. */
export function callDigest(call: CallDescription): string {
  return hash('sha256', JSON.stringify(sorted(call)), 'hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
