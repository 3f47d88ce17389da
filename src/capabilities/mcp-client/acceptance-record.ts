import { definitionDigest, type McpDefinition } from './definition.ts'

/** What is kept of a server from one start to the next. Plain JSON. */
export interface AcceptanceRecord {
  readonly version: 1
  /** The definitions that are offered, in the order of their names. */
  readonly accepted: readonly SealedDefinition[]
  /** What the server said last and was not accepted: tools that are new, or not as they were. */
  readonly differing: readonly SealedDefinition[]
  /** Names of accepted tools that the server did not have any more when it was last asked. */
  readonly gone: readonly string[]
}

export interface SealedDefinition {
  readonly definition: McpDefinition
  /** SHA-256 of the definition. */
  readonly digest: string
}

export type RecordRead =
  /** The server was never seen. */
  | { readonly type: 'none' }
  | { readonly type: 'record'; readonly record: AcceptanceRecord }
  | { readonly type: 'broken' }

/** Reads what was kept. A definition that is not the one that was sealed makes all of it broken. */
export function readRecord(kept: unknown): RecordRead {
  if (kept === undefined || kept === null) return { type: 'none' }
  const { version, accepted, differing, gone } = kept as Partial<AcceptanceRecord>
  const isWhole =
    version === 1 && areSealed(accepted) && areSealed(differing) && Array.isArray(gone) && gone.every(isString)
  if (!isWhole) return { type: 'broken' }
  return { type: 'record', record: { version, accepted, differing, gone } }
}

/** A record after the server was asked: its accepted definitions, and how what it offers now differs from them. */
export function comparedRecord(
  accepted: readonly SealedDefinition[],
  offered: readonly SealedDefinition[],
): AcceptanceRecord {
  const digests = new Map(accepted.map(({ definition, digest }) => [definition.name, digest]))
  const names = new Set(offered.map(({ definition }) => definition.name))
  return {
    version: 1,
    accepted,
    differing: offered.filter(({ definition, digest }) => digests.get(definition.name) !== digest),
    gone: accepted.map(({ definition }) => definition.name).filter((name) => !names.has(name)),
  }
}

export function sealed(definition: McpDefinition): SealedDefinition {
  return { definition, digest: definitionDigest(definition) }
}

/** In the order of their names, by code units, so that a server's own order changes nothing. */
export function byName(definitions: readonly SealedDefinition[]): readonly SealedDefinition[] {
  return definitions.toSorted((left, right) => (left.definition.name < right.definition.name ? -1 : 1))
}

function areSealed(value: unknown): value is readonly SealedDefinition[] {
  return (
    Array.isArray(value) &&
    value.every((entry: unknown) => {
      const { definition, digest } = (entry ?? {}) as Partial<SealedDefinition>
      return (
        typeof definition === 'object' &&
        isString(definition?.name) &&
        typeof definition.inputSchema === 'object' &&
        definitionDigest(definition) === digest
      )
    })
  )
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
