import { offeredName, type WithheldTool } from '../../capability.ts'
import type { ToolDefinition } from '../../context.ts'
import { errorMessage, serialQueue, sha256 } from '../../platform.ts'
import { definitionDigest, type McpDefinition, type SealedDefinition } from './definition.ts'

/** Where accepted definitions are kept from one start to the next, by the name of their server. */
export interface AcceptedStore {
  /** `undefined` where nothing was ever kept of a server. */
  read(server: string): Promise<unknown>
  /** Keeps plain JSON. */
  write(server: string, value: unknown): Promise<void>
}

/** What the owner has accepted of one server, and what the server says now. */
interface Acceptance {
  /** Reads what was kept. Answers false where that failed: then nothing of the server may be trusted. */
  load(): Promise<boolean>
  /** Whether the server was seen before, now or at any earlier start. */
  seen(): boolean
  /** Accepted definitions that the server, as far as is known, still has as they were. */
  offered(): readonly McpDefinition[]
  /** Takes in all that a server offers. The first time it is accepted; later it is compared with what was. */
  compare(offered: readonly SealedDefinition[]): Promise<void>
  /** Why a tool may not be called now, or `undefined`. */
  faultOf(tool: string): string | undefined
  withheld(): readonly WithheldTool[]
  /** Accepts what is withheld under this offered name and digest. Rejects where that cannot be kept. */
  accept(name: string, digest: string): Promise<boolean>
  warnings(): readonly string[]
}

const NOTHING: AcceptanceRecord = { version: 1, accepted: [], differing: [], gone: [] }

export function createAcceptance(server: string, store: AcceptedStore): Acceptance {
  let record: AcceptanceRecord | undefined
  let readFault: string | undefined
  let writeFault: string | undefined
  /** So that what is kept last is what was decided last. */
  const writes = serialQueue()

  async function load(): Promise<boolean> {
    readFault = undefined
    await writes.idle()
    try {
      const kept = readRecord(await store.read(server))
      // What was changed behind our back is no consent to anything: all tools are withheld until they are accepted.
      if (kept.type === 'broken') {
        record = NOTHING
        readFault = `what was accepted of ${server} cannot be read any more: its tools have to be accepted again`
      } else record = kept.type === 'record' ? kept.record : undefined
      return true
    } catch (error) {
      record = undefined
      readFault = `what was accepted of ${server} could not be read, so it is not contacted: ${errorMessage(error)}`
      return false
    }
  }

  function write(next: AcceptanceRecord): Promise<void> {
    return writes.add(() => store.write(server, next))
  }

  async function compare(offered: readonly SealedDefinition[]): Promise<void> {
    const now = sortByName(offered)
    const next = record ? compareRecord(record.accepted, now) : { ...NOTHING, accepted: now }
    if (record && JSON.stringify(next) === JSON.stringify(record)) return
    record = next
    try {
      await write(next)
      writeFault = undefined
    } catch (error) {
      writeFault = `what ${server} offers could not be kept: ${errorMessage(error)}`
    }
  }

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
    await write(next)
    record = next
    return true
  }

  return {
    load,
    seen: () => record !== undefined,
    offered: () => offeredDefinitions(record ?? NOTHING),
    compare,
    faultOf(tool) {
      const { accepted, differing, gone } = record ?? NOTHING
      if (gone.includes(tool)) return `the MCP server ${server} does not have the tool ${tool} any more`
      const isAccepted = accepted.some(({ definition }) => definition.name === tool)
      const isDiffering = differing.some(({ definition }) => definition.name === tool)
      if (isAccepted && !isDiffering) return undefined
      return `the MCP server ${server} now defines the tool ${tool} in another way than its owner accepted: it is withheld until the owner accepts it`
    },
    withheld: () => withheldTools(server, record ?? NOTHING).map(({ shown }) => shown),
    accept,
    warnings() {
      const faults = [readFault, writeFault].filter((fault) => fault !== undefined)
      const names = withheldTools(server, record ?? NOTHING).map(({ shown }) => shown.name)
      if (names.length === 0) return faults
      const listed = names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '')
      return [
        ...faults,
        `${server} does not define these tools as they were accepted, so they are withheld: ${listed}. ` +
          '`foreword tools accept NAME` shows the difference, and accepts it',
      ]
    },
  }
}

function offeredDefinitions({ accepted, differing, gone }: AcceptanceRecord): readonly McpDefinition[] {
  const not = new Set([...differing.map(({ definition }) => definition.name), ...gone])
  return accepted.map(({ definition }) => definition).filter(({ name }) => !not.has(name))
}

interface Withheld {
  /** As the server has it. */
  readonly name: string
  readonly offered: SealedDefinition | undefined
  readonly shown: WithheldTool
}

function withheldTools(server: string, { accepted, differing, gone }: AcceptanceRecord): readonly Withheld[] {
  const before = new Map(accepted.map(({ definition }) => [definition.name, definition]))
  return [
    ...differing.map((offered) => {
      const { name } = offered.definition
      const shown = describeDifference(server, before.get(name), offered.definition, offered.digest)
      return { name, offered, shown }
    }),
    ...gone.map((name) => {
      const shown = describeDifference(server, before.get(name), undefined, goneDigest(name))
      return { name, offered: undefined, shown }
    }),
  ]
}

/** A difference as the owner is shown it: whole descriptions, and annotations too, since what is accepted includes them. */
function describeDifference(
  server: string,
  accepted: McpDefinition | undefined,
  offered: McpDefinition | undefined,
  digest: string,
): WithheldTool {
  const name = offeredName(server, (offered ?? accepted)!.name)
  return {
    name,
    accepted: accepted && namedDefinition(name, accepted),
    offered: offered && namedDefinition(name, offered),
    digest,
  }
}

/** What the owner accepts who lets a tool go. */
function goneDigest(tool: string): string {
  return sha256(JSON.stringify({ gone: tool }))
}

function namedDefinition(name: string, definition: McpDefinition): ToolDefinition {
  return { ...definition, name }
}

/** What is kept of a server from one start to the next. Plain JSON. */
interface AcceptanceRecord {
  readonly version: 1
  /** The definitions that are offered, in the order of their names. */
  readonly accepted: readonly SealedDefinition[]
  /** What the server said last and was not accepted: tools that are new, or not as they were. */
  readonly differing: readonly SealedDefinition[]
  /** Names of accepted tools that the server did not have any more when it was last asked. */
  readonly gone: readonly string[]
}

type RecordRead =
  /** The server was never seen. */
  | { readonly type: 'none' }
  | { readonly type: 'record'; readonly record: AcceptanceRecord }
  | { readonly type: 'broken' }

/** Reads what was kept. A definition that is not the one that was sealed makes all of it broken. */
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

/** A record after the server was asked: its accepted definitions, and how what it offers now differs from them. */
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
