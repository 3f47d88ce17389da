import { lintRates, type ManifestEntry, type Price, numberText } from '../context.ts'
import { defined } from '../platform.ts'
import { type ForeignPieces, isResultEntry, withinTurn } from './compared-unit.ts'
import type { ForeignFinding, SessionCall } from './foreign-finding.ts'
import { commonPrefix, type ForeignReuse } from './common-prefix.ts'
import { clientTables } from './recognisers/recognisers.ts'

/** Calls after which a tool counts as unused. */
const LEAST_CALLS = 5

/** Tokens over all calls below which a finding says nothing that matters. */
const LEAST_TOKENS = 1_000

/**
 * Finds what the calls of one session paid for without need, the most expensive first. No token of a call is in two findings, so
 * they can be added up. `calls`: oldest first. `client`: the program, whose settings the hints name. Pure.
 */
export function callFindings(calls: readonly SessionCall[], price?: Price, client?: string): readonly ForeignFinding[] {
  const rates = price && lintRates(price, promptMix(calls))
  const claims: Claims = new Map()
  const found = [
    ...unusedTools(calls, claims),
    ...repeatedResults(calls, claims),
    ...carriedResults(calls, claims),
    ...cacheFindings(calls, claims),
  ]
  const remedies = clientTables.find((table) => table.client === client)?.remedies
  const value = ({ cost }: ForeignFinding) => (rates ? (cost.money ?? 0) : cost.tokens)
  return found
    .filter(({ cost: { kind, tokens } }) => {
      // Where a provider sells its cache for the price of fresh tokens, nobody paid for what was not read from it.
      const isFree = rates !== undefined && rates.sent > 0 && rates[kind] === 0
      return tokens >= LEAST_TOKENS && !isFree
    })
    .map((finding): ForeignFinding => {
      const { code, hint, where, cost } = finding
      // What to do in the program, where it is known, is before what to do in any.
      const remedy = remedies?.[code]?.replaceAll('{name}', where.server ?? where.tool ?? '')
      const money = rates && Math.round(cost.tokens * rates[cost.kind] * 1_000) / NANO
      return {
        ...finding,
        hint: remedy === undefined ? hint : `${remedy} ${hint}`,
        cost: { ...cost, ...defined({ money }) },
      }
    })
    .toSorted((one, other) => value(other) - value(one))
}

/** Nano-dollars of a dollar. */
const NANO = 1_000_000_000

/** Entries of each call that a finding has counted. */
type Claims = Map<SessionCall, Set<ManifestEntry>>

function claim(claims: Claims, call: SessionCall, entry: ManifestEntry): void {
  const claimed = claims.get(call) ?? new Set()
  claims.set(call, claimed.add(entry))
}

/** Tokens of claimed entries between two places of the prompt, in tokens from its beginning. */
function claimedBetween(claims: Claims, call: SessionCall, from: number, to: number): number {
  const claimed = claims.get(call)
  if (!claimed) return 0
  let [cursor, sum] = [0, 0]
  for (const entry of call.assembly.manifest.entries) {
    const end = cursor + entry.tokens
    if (claimed.has(entry)) sum += Math.max(0, Math.min(end, to) - Math.max(cursor, from))
    cursor = end
  }
  return sum
}

/** What providers reported of all prompts. */
function promptMix(calls: readonly SessionCall[]): { cached: number; written: number; fresh: number } {
  const mix = { cached: 0, written: 0, fresh: 0 }
  for (const { answer } of calls) {
    const { promptTokens = 0, cachedTokens = 0, cacheWrittenTokens = 0 } = answer?.usage ?? {}
    mix.cached += cachedTokens
    mix.written += cacheWrittenTokens
    mix.fresh += Math.max(0, promptTokens - cachedTokens - cacheWrittenTokens)
  }
  return mix
}

const mcpLayer = /^mcp-/

/** Tools that were offered in every call and never called; those of one server together, where none of them was. */
function unusedTools(calls: readonly SessionCall[], claims: Claims): readonly ForeignFinding[] {
  const offered = new Map<string, { tokens: number; calls: number; layer: string }>()
  const used = new Set<string>()
  for (const { assembly, answer } of calls) {
    for (const entry of assembly.manifest.entries) {
      if (entry.layer === 'tool-call') used.add(plainName(entry.origin.ref))
      if (entry.slot !== 'tools') continue
      const { tokens, calls: count } = offered.get(entry.id) ?? { tokens: 0, calls: 0 }
      offered.set(entry.id, { tokens: tokens + entry.tokens, calls: count + 1, layer: entry.layer })
    }
    for (const { name } of answer?.calls ?? []) used.add(plainName(name))
  }
  const unused = [...offered].filter(([id, { calls: count }]) => count >= LEAST_CALLS && !used.has(plainName(id)))
  const ids = new Set(unused.map(([id]) => id))
  for (const call of calls) {
    for (const entry of call.assembly.manifest.entries) {
      if (entry.slot === 'tools' && ids.has(entry.id)) claim(claims, call, entry)
    }
  }
  const servers = Map.groupBy([...offered.keys()], (id) => offered.get(id)!.layer)
  const idle = new Map([...servers].filter(([layer, own]) => mcpLayer.test(layer) && own.every((id) => ids.has(id))))
  const single = unused
    .filter(([, { layer }]) => !idle.has(layer))
    .map(([id, { tokens, calls: count }]) => ({
      code: 'unused-tool' as const,
      severity: 'warning' as const,
      where: { tool: id },
      message: `The tool ${id} was offered in ${count} calls and never called.`,
      cost: { kind: 'sent' as const, tokens },
      hint: 'Leave it out of what the program offers, if nobody needs it.',
    }))
  return [...single, ...Array.from(idle, ([layer, own]) => unusedServer(layer, own, offered))]
}

/** Names of tools in groups are written with a dot where they are offered, and with underscores where they are called. */
function plainName(name: string): string {
  return name.replaceAll('.', '__')
}

function unusedServer(
  layer: string,
  ids: readonly string[],
  offered: ReadonlyMap<string, { readonly tokens: number; readonly calls: number }>,
): ForeignFinding {
  const server = layer.replace(mcpLayer, '')
  const tokens = ids.reduce((sum, id) => sum + offered.get(id)!.tokens, 0)
  const count = Math.max(...ids.map((id) => offered.get(id)!.calls))
  return {
    code: 'unused-server',
    severity: 'warning',
    where: { server },
    message:
      ids.length === 1
        ? `The tool of the MCP server ${server} was offered in ${count} calls and never called.`
        : `None of the ${ids.length} tools of the MCP server ${server} was called, in ${count} calls that offered them.`,
    cost: { kind: 'sent', tokens },
    hint: 'Disconnect the server, if nobody needs it.',
  }
}

/** The smallest result that is worth a sentence of its own, tokens. */
const LARGE_RESULT = 2_000

/** Large results that the model read again in many later calls. */
function carriedResults(calls: readonly SessionCall[], claims: Claims): readonly ForeignFinding[] {
  const carried = new Map<
    string,
    { readonly entry: ManifestEntry; tokens: number; readonly later: [SessionCall, ManifestEntry][] }
  >()
  for (const call of calls) {
    for (const entry of resultsOf(call.assembly)) {
      if (entry.tokens < LARGE_RESULT || claims.get(call)?.has(entry)) continue
      const key = `${entry.origin.ref} ${withinTurn(entry)}`
      const known = carried.get(key)
      if (!known) carried.set(key, { entry, tokens: 0, later: [] })
      else {
        known.tokens += entry.tokens
        known.later.push([call, entry])
      }
    }
  }
  const found = [...carried.values()].filter(({ later }) => later.length >= LEAST_CALLS)
  for (const [call, entry] of found.flatMap(({ later }) => later)) claim(claims, call, entry)
  return found.map(({ entry, tokens, later }) => ({
    code: 'carried-result',
    severity: 'note',
    where: { tool: entry.origin.ref, ...defined({ name: entry.name }), entry: entry.id },
    message: `The result of ${wordsOf(entry)} (${numberText(entry.tokens)} tokens) was read again in ${later.length} later calls.`,
    cost: { kind: 'sent', tokens },
    hint: 'Let the tool return less, or begin a new session when the result is no longer needed.',
  }))
}

/** What the same tool returned for the same file or command several times within one request: all but the newest. */
function repeatedResults(calls: readonly SessionCall[], claims: Claims): readonly ForeignFinding[] {
  const repeated = new Map<string, { entry: ManifestEntry; most: number; tokens: number; calls: string[] }>()
  for (const call of calls) {
    const named = resultsOf(call.assembly).filter(({ name }) => name !== undefined)
    for (const [key, entries] of Map.groupBy(named, ({ origin, name }) => `${origin.ref} ${name}`)) {
      if (entries.length < 2) continue
      const older = entries.slice(0, -1).reduce((sum, { tokens }) => sum + tokens, 0)
      for (const entry of entries.slice(0, -1)) claim(claims, call, entry)
      const known = repeated.get(key) ?? { entry: entries[0]!, most: 0, tokens: 0, calls: [] }
      known.most = Math.max(known.most, entries.length)
      known.tokens += older
      known.calls.push(call.id)
      repeated.set(key, known)
    }
  }
  return Array.from(repeated.values(), ({ entry, most, tokens, calls: ids }) => ({
    code: 'repeated-result',
    severity: 'warning',
    where: { tool: entry.origin.ref, ...defined({ name: entry.name }), calls: ids },
    message: `The result of ${wordsOf(entry)} is in the request up to ${most} times: only the newest is as it is now.`,
    cost: { kind: 'sent', tokens },
    hint: 'Read only the lines that are needed, or begin a new session.',
  }))
}

function resultsOf({ manifest }: ForeignPieces): readonly ManifestEntry[] {
  return manifest.entries.filter(isResultEntry)
}

function wordsOf({ origin, name }: ManifestEntry): string {
  return name === undefined ? origin.ref : `${origin.ref} ${name}`
}

/** What kept a cache from being read: a request that began otherwise, or a cache that was no longer there. */
function cacheFindings(calls: readonly SessionCall[], claims: Claims): readonly ForeignFinding[] {
  const pairs = calls
    .slice(1)
    .map((call, index) => ({ call, reuse: call.reuse ?? commonPrefix(calls[index]!.assembly, call.assembly) }))
    .map(({ call, reuse }): CallPair => {
      const { cachedTokens: cached } = call.answer?.usage ?? {}
      const missed = (cached ?? Infinity) < reuse.tokens * COLD ? reuse.tokens - cached! : 0
      return {
        call,
        reuse,
        again: Math.max(0, (reuse.again ?? 0) - claimedBetween(claims, call, reuse.tokens, Infinity)),
        missed: missed && Math.max(0, missed - claimedBetween(claims, call, cached!, reuse.tokens)),
      }
    })
  return [...brokenCaches(pairs), ...coldCaches(pairs)]
}

interface CallPair {
  readonly call: SessionCall
  readonly reuse: Omit<ForeignReuse, 'pieces'>
  /** Tokens behind the first change that no other finding has counted. */
  readonly again: number
  /** Tokens before it of which the provider found too few in its cache, likewise. */
  readonly missed: number
}

/** Changes of one kind at one place count together: their first sentence says what it was. */
function brokenCaches(pairs: readonly CallPair[]): readonly ForeignFinding[] {
  const broken = pairs.filter(
    ({ again, reuse: { firstChange } }) => firstChange && firstChange.cause !== 'grew' && again > 0,
  )
  const groups = Map.groupBy(
    broken,
    ({ reuse: { firstChange } }) =>
      `${firstChange!.cause} ${firstChange!.id.replace(/^turn-\d+\/?/, '').replaceAll(/\d+/g, '')}`,
  )
  return Array.from(groups.values(), (group) => {
    const { id, why, cause } = group[0]!.reuse.firstChange!
    const tokens = group.reduce((sum, { again }) => sum + again, 0)
    const times = group.length === 1 ? '' : ` This happened in ${group.length} calls.`
    return {
      code: 'broken-cache',
      severity: 'warning',
      where: { entry: id, calls: group.map(({ call }) => call.id) },
      message: `The cache could not be read behind this change: ${why}${times}`,
      cost: { kind: 'again', tokens },
      hint: hints.get(cause) ?? 'Keep what stands before the conversation the same within a session.',
    }
  })
}

const hints: ReadonlyMap<string, string> = new Map([
  ['tool-order', 'Offer the tools in the same order in every call.'],
  ['tool-added', 'Connect servers and allow tools before the session begins.'],
  ['tool-removed', 'Connect servers and allow tools before the session begins.'],
  ['clock', 'Put dates and times behind the conversation, or leave them out.'],
  ['model', 'A cache belongs to one model: change it between sessions.'],
  ['compacted', 'This is the price of a compaction: let it happen less often, and at the end of a task.'],
  ['result-changed', 'Old results that are cleared break the cache: clear many at once, and rarely.'],
])

/** The share of a common beginning below which a provider read none of it, for all that matters. */
const COLD = 0.5

/** Calls that begin like the one before, of which their provider found nothing in its cache. */
function coldCaches(pairs: readonly CallPair[]): readonly ForeignFinding[] {
  const cold = pairs.filter((pair) => pair.missed > 0)
  if (cold.length === 0) return []
  const missed = cold.reduce((sum, pair) => sum + pair.missed, 0)
  const them = cold.length === 1 ? 'One call begins' : `${cold.length} calls begin`
  return [
    {
      code: 'cold-cache',
      severity: 'note',
      where: { calls: cold.map(({ call }) => call.id) },
      message: `${them} like the one before, and the provider found little of that in its cache.`,
      cost: { kind: 'again', tokens: missed },
      hint: 'The cache was no longer there, or the prompt was below its least size: ask for a longer life, or answer sooner.',
    },
  ]
}
