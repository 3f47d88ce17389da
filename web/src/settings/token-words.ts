import type { TokenScope } from '../../../src/capability.ts'

/** A named token: `GET /api/tokens`. */
export interface ListedToken {
  readonly name: string
  readonly scope: TokenScope
  /** ISO 8601. */
  readonly made: string
  /** Absent: never. */
  readonly expires?: string
  /** To the minute. Absent: never. */
  readonly used?: string
  readonly isExpired: boolean
}

/** The scopes that the maker of a token can choose. */
export const scopes: readonly { readonly value: TokenScope; readonly title: string }[] = [
  { value: 'read', title: 'read' },
  { value: 'talk', title: 'read and talk' },
  { value: 'approve', title: 'read, talk and approve' },
  { value: 'admin', title: 'do everything' },
  { value: 'mcp', title: 'use MCP alone' },
]

export const expiries = [
  { value: '1d', title: 'in a day' },
  { value: '30d', title: 'in 30 days' },
  { value: '365d', title: 'in a year' },
  { value: '', title: 'never' },
] as const

/** What a token is for, in words. */
export function scopeTitle(scope: string): string {
  const title = scopes.find(({ value }) => value === scope)?.title
  return title === undefined ? scope : `may ${title}`
}
