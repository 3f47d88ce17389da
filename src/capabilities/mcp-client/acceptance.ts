import { isDeepStrictEqual } from 'node:util'
import { serverToolName, type WithheldTool } from '../../capability.ts'
import type { ToolDefinition } from '../../context.ts'
import { errorMessage, serialQueue, sha256 } from '../../platform.ts'
import { definitionDigest, type McpDefinition, type SealedDefinition } from './definition.ts'

export interface AcceptedStore {
  /** `undefined` if nothing was stored for the server. */
  read(server: string): Promise<unknown>
  /** Stores plain JSON. */
  write(server: string, value: unknown): Promise<void>
  /** In the home of a person: what is stored for the server in that of the owner, whose acceptance counts for everybody. */
  byOwner?(server: string): Promise<unknown>
}

const NOTHING: AcceptanceRecord = { version: 1, accepted: [], differing: [], gone: [] }

export function createAcceptance(server: string, store: AcceptedStore) {
  let record: AcceptanceRecord | undefined
  let readFault: string | undefined
  let writeFault: string | undefined
  /** The last decision is stored last. */
  const writes = serialQueue()

  /** Reads the stored record. Answers false if that fails: then nothing of the server may be trusted. */
  async function load(): Promise<boolean> {
    readFault = undefined
    await writes.idle()
    try {
      const own = readRecord(await store.read(server))
      // Of a server that was never seen here the first definitions are those that the owner accepted.
      const ofOwner = own.type === 'record' ? undefined : await acceptedByOwner()
      const kept = ofOwner ? ({ type: 'record', record: { ...NOTHING, accepted: ofOwner } } as const) : own
      // A record that something else changed is no consent: all tools are withheld until they are accepted.
      if (kept.type === 'broken') {
        record = NOTHING
        readFault = `the accepted tools of ${server} cannot be read any more. Accept its tools again`
      } else record = kept.type === 'record' ? kept.record : undefined
      return true
    } catch (error) {
      record = undefined
      readFault = `the accepted tools of ${server} could not be read, so it is not contacted: ${errorMessage(error)}`
      return false
    }
  }

  /** Receives everything that a server offers: the first time it is accepted, later compared with what was accepted. */
  async function compare(offered: readonly SealedDefinition[]): Promise<void> {
    const now = sortByName(offered)
    const next = record ? compareRecord(record.accepted, now) : { ...NOTHING, accepted: now }
    if (record && isSameRecord(next, record)) return
    record = next
    try {
      await writes.add(() => store.write(server, next))
      writeFault = undefined
    } catch (error) {
      writeFault = `the tools of ${server} could not be stored: ${errorMessage(error)}`
    }
  }

  /** Accepts the withheld tool of this offered name and digest. Rejects if that cannot be stored. */
  async function accept(name: string, digest: string): Promise<boolean> {
    if (!record) return false
    const tool = withheldTools(server, record).find(
      (entry) => entry.shown.name === name && entry.shown.digest === digest,
    )
    if (!tool) return false
    const { accepted, differing, gone } = record
    const isOther = ({ definition }: SealedDefinition) => definition.name !== tool.name
    const next: AcceptanceRecord = {
      version: 1,
      accepted: sortByName([...accepted.filter(isOther), ...(tool.offered ? [tool.offered] : [])]),
      differing: differing.filter(isOther),
      gone: gone.filter((entry) => entry !== tool.name),
    }
    await writes.add(() => store.write(server, next))
    record = next
    return true
  }

  async function acceptedByOwner(): Promise<readonly SealedDefinition[] | undefined> {
    const read = readRecord(await store.byOwner?.(server))
    return read.type === 'record' ? read.record.accepted : undefined
  }

  /** Accepts what the owner has accepted meanwhile. Returns whether anything was. Rejects as `accept` does. */
  async function followOwner(): Promise<boolean> {
    const open = withheldTools(server, record ?? NOTHING)
    const accepted = open.length === 0 ? undefined : await acceptedByOwner()
    if (accepted === undefined) return false
    const fitting = open.filter(({ name, offered }) =>
      offered === undefined
        ? !accepted.some(({ definition }) => definition.name === name)
        : accepted.some(({ digest }) => digest === offered.digest),
    )
    for (const { shown } of fitting) await accept(shown.name, shown.digest)
    return fitting.length > 0
  }

  return {
    load,
    followOwner,
    /** Whether the server was seen before, now or at any earlier start. */
    seen: () => record !== undefined,
    /** Accepted definitions that the server, as far as known, still has unchanged. */
    offered: () => offeredDefinitions(record ?? NOTHING),
    compare,
    callFault(tool: string): string | undefined {
      const { accepted, differing, gone } = record ?? NOTHING
      if (gone.includes(tool)) return `the MCP server ${server} does not have the tool ${tool} any more`
      const isAccepted = accepted.some(({ definition }) => definition.name === tool)
      const isDiffering = differing.some(({ definition }) => definition.name === tool)
      if (isAccepted && !isDiffering) return undefined
      return `the MCP server ${server} now defines the tool ${tool} in another way than its owner accepted: it is withheld until the owner accepts it`
    },
    withheld: () => withheldTools(server, record ?? NOTHING).map(({ shown }) => shown),
    accept,
    warnings(): readonly string[] {
      const faults = [readFault, writeFault].filter((fault) => fault !== undefined)
      const names = withheldTools(server, record ?? NOTHING).map(({ shown }) => shown.name)
      if (names.length === 0) return faults
      const listed = names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '')
      return [
        ...faults,
        `${server} has changed these tools since they were accepted, so they are withheld: ${listed}. ` +
          'Show the difference and accept it with `foreword tools accept NAME`',
      ]
    },
  }
}

function offeredDefinitions({ accepted, differing, gone }: AcceptanceRecord): readonly SealedDefinition[] {
  const not = new Set([...differing.map(({ definition }) => definition.name), ...gone])
  return accepted.filter(({ definition }) => !not.has(definition.name))
}

function withheldTools(server: string, { accepted, differing, gone }: AcceptanceRecord) {
  const before = new Map(accepted.map(({ definition }) => [definition.name, definition]))
  return [
    ...differing.map((offered) => {
      const { name } = offered.definition
      const shown = describeDifference(server, before.get(name), offered.definition, offered.digest)
      return { name, offered, shown }
    }),
    ...gone.map((name) => {
      const shown = describeDifference(server, before.get(name), undefined, sha256(JSON.stringify({ gone: name })))
      return { name, offered: undefined, shown }
    }),
  ]
}

/** A difference as the owner sees it: whole descriptions, and annotations too, since the owner accepts both. */
function describeDifference(
  server: string,
  accepted: McpDefinition | undefined,
  offered: McpDefinition | undefined,
  digest: string,
): WithheldTool {
  const name = serverToolName(server, (offered ?? accepted)!.name)
  return {
    name,
    accepted: accepted && namedDefinition(name, accepted),
    offered: offered && namedDefinition(name, offered),
    digest,
  }
}

function namedDefinition(name: string, definition: McpDefinition): ToolDefinition {
  return { ...definition, name }
}

interface AcceptanceRecord {
  readonly version: 1
  readonly accepted: readonly SealedDefinition[]
  /** New and changed tools that the server offered last and that were not accepted. */
  readonly differing: readonly SealedDefinition[]
  /** Names of accepted tools that the server did not list any more. */
  readonly gone: readonly string[]
}

type RecordRead =
  /** The server was never seen. */
  | { readonly type: 'none' }
  | { readonly type: 'record'; readonly record: AcceptanceRecord }
  | { readonly type: 'broken' }

/** Reads a stored record. A definition whose digest differs makes the whole record broken. */
function readRecord(kept: unknown): RecordRead {
  if (kept === undefined || kept === null) return { type: 'none' }
  const { version, accepted, differing, gone } = kept as Partial<AcceptanceRecord>
  const isWhole =
    version === 1 &&
    areSealedDefinitions(accepted) &&
    areSealedDefinitions(differing) &&
    Array.isArray(gone) &&
    gone.every(isString)
  if (!isWhole) return { type: 'broken' }
  return { type: 'record', record: { version, accepted, differing, gone } }
}

/** A new record: the accepted definitions, and how the current offer differs from them. */
function compareRecord(accepted: readonly SealedDefinition[], offered: readonly SealedDefinition[]): AcceptanceRecord {
  const digests = new Map(accepted.map(({ definition, digest }) => [definition.name, digest]))
  const names = new Set(offered.map(({ definition }) => definition.name))
  return {
    version: 1,
    accepted,
    differing: offered.filter(({ definition, digest }) => digests.get(definition.name) !== digest),
    gone: accepted.map(({ definition }) => definition.name).filter((name) => !names.has(name)),
  }
}

/** Digests and names say it: the definitions themselves can be megabytes. */
function isSameRecord(next: AcceptanceRecord, record: AcceptanceRecord): boolean {
  const facts = ({ accepted, differing, gone }: AcceptanceRecord) =>
    [accepted, differing]
      .map((sealed) => sealed.map(({ definition, digest }) => [definition.name, digest]))
      .concat([gone.map((name) => [name])])
  return isDeepStrictEqual(facts(next), facts(record))
}

/** In the order of their names, by code units, so that a server's own order changes nothing. */
function sortByName(definitions: readonly SealedDefinition[]): readonly SealedDefinition[] {
  return definitions.toSorted((left, right) => (left.definition.name < right.definition.name ? -1 : 1))
}

function areSealedDefinitions(value: unknown): value is readonly SealedDefinition[] {
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
