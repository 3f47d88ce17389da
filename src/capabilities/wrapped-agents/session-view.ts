import type { GatewayConnection, Io } from '../../capability.ts'
import { apiPath, requestJson, readInput, requestList } from '../../cli.ts'
import {
  countedText,
  calibratedManifest,
  calibratedTokens,
  type CallFigures,
  cutSentence,
  type Manifest,
  numberText,
  exactMoneyText,
  type CutRecord,
  inNanos,
} from '../../context.ts'
import { defined, systemClock, isObject, parseJson } from '../../platform.ts'
import type { ForeignEnd, ForeignFacts } from '../../session.ts'

export interface SessionView {
  readonly session: string
  readonly title?: string
  /** The program whose calls they are; absent for a session of Foreword's own. */
  readonly client?: string
  readonly model?: string
  /** Of the last call that the conversation made, tokens. */
  readonly used: number
  /** Absent where it is not known. */
  readonly window?: number
  /** Tokens of the last call by slot, in reading order, without those that are empty. */
  readonly slots: readonly (readonly [slot: string, tokens: number])[]
  readonly sums: CallSums
  /** Of the last call that reported it: tokens of the prompt, and those of them that came from the cache. */
  readonly lastCache?: Pick<CallFigures, 'total' | 'cached'>
  /** The last time that turns were left out, or that something sent before had to be sent again. */
  readonly lastCut?: string
  readonly lastBreak?: string
  readonly last?: SessionViewCall
}

export async function fetchSessionView(connection: GatewayConnection, session: string): Promise<SessionView> {
  const [row, calls] = await Promise.all([
    requestJson<SessionAnswer>(connection, apiPath('/api/sessions/', session)),
    fetchSessionCalls(connection, session),
  ])
  const last = calls.findLast(isConversation)
  const counted =
    last &&
    (await requestJson<Manifest>(connection, apiPath('/api/calls/', last.id, '/manifest')).catch(() => undefined))
  const manifest = counted && calibratedManifest(counted, last.figures.total)
  // The account of a call of another program has the room that the call took: nobody else knows what was free.
  const window = last?.foreign ? await modelWindow(connection, last.model) : manifest?.budget.window
  return viewOfSession({ session, ...defined({ title: row.title, manifest, window }), calls })
}

interface SessionAnswer {
  readonly title?: string
}

interface WatchedSession {
  readonly session: string
  readonly title?: string
  /** Oldest first. */
  readonly calls: readonly SessionViewCall[]
  /** Of the last call of the conversation. */
  readonly manifest?: Manifest
  /** Of its model, tokens. */
  readonly window?: number
}

function viewOfSession({ session, title, calls, manifest, window }: WatchedSession): SessionView {
  const last = calls.at(-1)
  const conversation = calls.filter(isConversation)
  const newest = conversation.at(-1)
  const reported = conversation.findLast(
    ({ figures }) => figures.basis === 'reported' && figures.cached !== undefined,
  )?.figures
  const cut = conversation.findLast(({ cutRecord }) => cutRecord !== undefined)
  const broken = conversation.findLast(({ reuse }) => (reuse?.again ?? 0) > 0)
  return {
    session,
    used: manifest?.used ?? newest?.figures.total ?? 0,
    slots: Object.entries(manifest?.slots ?? {}).filter(([, tokens]) => tokens > 0),
    sums: sumCalls(calls),
    ...defined({
      title,
      client: calls.findLast(({ foreign }) => foreign)?.foreign?.client,
      model: newest?.model ?? last?.model,
      window,
      lastCache: reported,
      lastCut: cut?.cutRecord && cutSentence(cut.cutRecord, { total: cut.figures.total, used: cut.used }),
      lastBreak: broken && breakSentence(broken),
      last,
    }),
  }
}

function isConversation({ kind, foreign }: SessionViewCall): boolean {
  return foreign === undefined ? kind !== 'note' : ['turn', 'sub-agent', 'compaction'].includes(foreign.kind)
}

/** `12,400 tokens were sent again: tools, tool:read changed (edited)`. */
function breakSentence({ reuse, figures, used }: SessionViewCall): string {
  const { again = 0, firstChange } = reuse ?? {}
  const tokens = calibratedTokens(again, figures.total, used)
  const where =
    firstChange === undefined ? '' : ` from ${firstChange.id} (${firstChange.slot}) on: ${firstChange.cause}`
  return `${numberText(tokens)} tokens were sent again${where}`
}

/** How often a session is looked at, ms. */
const PAUSE = 500

/** The views of a session, one at once and one after each change of its calls, until `signal` is aborted. */
export async function* followSession(
  connection: GatewayConnection,
  session: string,
  signal: AbortSignal,
): AsyncGenerator<SessionView> {
  let seen: string | undefined
  while (!signal.aborted) {
    // Changes with every call, and costs little to ask for.
    const mark = JSON.stringify(await requestJson<unknown>(connection, apiPath('/api/sessions/', session)))
    if (mark !== seen) {
      seen = mark
      yield await fetchSessionView(connection, session)
    }
    await systemClock.sleep(PAUSE, signal)
  }
}

/** How long the description of a session may take to arrive, ms. */
const INPUT_LIMIT = 500

/** The client's session, which Claude Code writes to its status line as JSON with `session_id`; else `undefined`. */
export async function clientSessionIn(io: Io): Promise<string | undefined> {
  if (io.stdin.isTTY === true) return undefined
  const read = new AbortController()
  const given = readInput(io).finally(() => read.abort())
  await Promise.race([given, systemClock.sleep(io.firstInputMs ?? INPUT_LIMIT, read.signal)]).catch(() => undefined)
  const text = read.signal.aborted ? await given.catch(() => '') : ''
  // A pipe that stays open would keep this process.
  if (!read.signal.aborted && 'destroy' in io.stdin && typeof io.stdin.destroy === 'function') io.stdin.destroy()
  const value = parseJson(text)
  const id = isObject(value) ? value['session_id'] : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** The session that a program calls `id`; `undefined` where it has made no call yet. */
export async function sessionOfClient(connection: GatewayConnection, id: string): Promise<string | undefined> {
  const sessions = await requestList<BoundSession>(connection, '/api/sessions?limit=200', 'sessions')
  return sessions.find(({ binding }) => binding?.conversation === id)?.id
}

interface BoundSession {
  readonly id: string
  readonly binding?: { readonly conversation: string }
}

export interface SessionViewCall {
  readonly id: string
  readonly session?: string
  readonly time: string
  readonly model: string
  readonly token?: string
  /** Prompt tokens as counted before the call. */
  readonly used: number
  readonly figures: CallFigures
  readonly available?: number
  /** US dollars; absent where it is not known. */
  readonly cost?: number
  readonly kind?: string
  /** Of a call of another program. */
  readonly foreign?: ForeignFacts
  /** Against the call before: what a prompt cache can reuse, and where the change begins. */
  readonly reuse?: {
    readonly tokens: number
    readonly again?: number
    readonly firstChange?: { readonly id: string; readonly slot: string; readonly cause: string }
  }
  readonly cutRecord?: CutRecord
  readonly outcome?: {
    readonly usage?: {
      readonly promptTokens?: number
      readonly cachedTokens?: number
      readonly outputTokens?: number
    }
    readonly usageEstimated?: true
    readonly error?: { readonly code: string; readonly message: string }
    readonly durationMs?: number
    readonly foreign?: ForeignEnd
  }
}

/** As many as the gateway lists at once. */
export const MOST_CALLS = 1_000

/** The newest calls of a session, at most `MOST_CALLS`, oldest first. */
async function fetchSessionCalls(connection: GatewayConnection, session: string): Promise<readonly SessionViewCall[]> {
  const path = apiPath('/api/sessions/', session, `/calls?limit=${MOST_CALLS}`)
  return await requestList<SessionViewCall>(connection, path, 'calls')
}

/** Every call of all sessions that began at this time (ISO 8601) or later, newest first, however many they are. */
export async function fetchCallsSince(
  connection: GatewayConnection,
  since: string,
): Promise<readonly SessionViewCall[]> {
  const found: SessionViewCall[] = []
  for (let before = ''; ; before = `&before=${encodeURIComponent(found.at(-1)!.id)}`) {
    const path = `/api/calls?limit=${MOST_CALLS}${before}`
    // oxlint-disable-next-line no-await-in-loop -- a page begins where the one before it ended
    const page = await requestList<SessionViewCall>(connection, path, 'calls')
    found.push(...page.filter(({ time }) => time >= since))
    if (page.length < MOST_CALLS || page.at(-1)!.time < since) return found
  }
}

/** What calls used and cost together. */
export interface CallSums {
  readonly calls: number
  readonly promptTokens: number
  /** Absent where no provider reported it. */
  readonly cachedTokens?: number
  readonly outputTokens: number
  readonly unreported: number
  /** US dollars of the calls whose cost is known. */
  readonly cost: number
  readonly unpriced: number
}

/** Calls that only count tokens cost nothing, and their answers report no usage. */
export function sumCalls(calls: readonly SessionViewCall[]): CallSums {
  let [promptTokens, outputTokens, unreported, cost, unpriced] = [0, 0, 0, 0, 0]
  let cachedTokens: number | undefined
  for (const { outcome, cost: own, foreign, figures } of calls) {
    if (foreign?.kind === 'count') continue
    const isReported = figures.basis === 'reported'
    promptTokens += isReported ? figures.total : 0
    if (isReported && figures.cached !== undefined) cachedTokens = (cachedTokens ?? 0) + figures.cached
    outputTokens += outcome?.usage?.outputTokens ?? 0
    if (!isReported || outcome?.usageEstimated) unreported += 1
    cost += own ?? 0
    if (own === undefined) unpriced += 1
  }
  return {
    calls: calls.length,
    promptTokens,
    outputTokens,
    unreported,
    cost: inNanos(cost),
    unpriced,
    ...defined({ cachedTokens }),
  }
}

/** `12 calls`, `1 call`. */
export function callsText(calls: number): string {
  return countedText(calls, 'call')
}

/** `41,200 tokens read (88 % from the cache), 512 written`; `usage not reported` where no answer said it. */
export function tokensText({ calls, promptTokens, cachedTokens, outputTokens, unreported }: CallSums): string {
  if (unreported === calls && promptTokens === 0) return 'usage not reported'
  const read = `${numberText(promptTokens)} tokens read`
  return `${read} (${cacheText(cachedTokens, promptTokens)}), ${numberText(outputTokens)} written`
}

/** `$0.21`; `at least $0.21` where a cost is not known; `cost unknown` where none is. */
export function knownCostText({ calls, cost, unpriced }: CallSums): string {
  if (unpriced === 0) return exactMoneyText(cost)
  return unpriced === calls ? 'cost unknown' : `at least ${exactMoneyText(cost)}`
}

/** `88 % from the cache`. */
export function cacheText(cached: number | undefined, whole: number): string {
  return cached === undefined ? 'cache not reported' : `${shareText(cached, whole)} from the cache`
}

export function shareText(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.floor((part / whole) * 100)} %`
}

export async function modelWindow(connection: GatewayConnection, id: string): Promise<number | undefined> {
  try {
    const found = await requestJson<ModelAnswer>(connection, `/api/model?id=${encodeURIComponent(id)}`)
    return found.facts?.assumed?.includes('window') === true ? undefined : found.window
  } catch {
    return undefined
  }
}

interface ModelAnswer {
  readonly window: number
  readonly facts?: { readonly assumed?: readonly string[] }
}
