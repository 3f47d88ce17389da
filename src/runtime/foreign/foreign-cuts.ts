import type { ForeignCallStart } from '../../capability.ts'
import type { TokenCounter } from '../../context.ts'
import { type CutAccount, cutRequest, type ForeignCut, type ForeignIdentity, identifyCall } from '../../foreign.ts'
import type { Model, ModelFacts } from '../../model.ts'
import { defined, errorMessage, sha256 } from '../../platform.ts'
import type { CallRecord, ForeignFacts, SessionStore } from '../../session.ts'
import type { AssemblyContext } from '../turn/assembly-context.ts'
import { budgetFor, leastAnswer } from '../models/call-budget.ts'
import { explainInSlices } from './explain-in-slices.ts'
import type { ForeignInput } from './foreign-input.ts'
import { channelOf, unnamedSessions } from './foreign-sessions.ts'

export type ForeignCuts = ReturnType<typeof createForeignCuts>

export interface ForeignCutResult {
  readonly facts: NonNullable<ForeignFacts['assembled']>
  /** What leaves; absent where it leaves as it came. */
  readonly body?: Uint8Array
  readonly marks?: ForeignCut
  readonly account?: CutAccount
  readonly isNew?: boolean
}

interface CutParts {
  readonly store: Pick<SessionStore, 'bound' | 'calls' | 'content' | 'sessions'>
  readonly counter: TokenCounter
  readonly context: Pick<AssemblyContext, 'store' | 'settings' | 'calibration' | 'limits'>
  factsOf(model: string): ModelFacts | undefined
  /** Asks the provider, where nothing is known of the model. */
  resolve(model: string): Promise<Pick<Model, 'id' | 'facts'>>
}

/** Marks of one conversation, and of conversations without an id that are kept apart by what they say. */
const MOST_MARKS = 8
const MOST_LINES = 256

export function createForeignCuts({ store, counter, context, factsOf, resolve }: CutParts) {
  const lines = new Map<string, readonly ForeignCut[]>()

  /** The marks of a conversation, newest first; after a restart those of its last calls on record. */
  async function marksOf(
    line: string,
    identity: ForeignIdentity,
    token: string | undefined,
  ): Promise<readonly ForeignCut[]> {
    return lines.get(line) ?? (await recordedMarks(store, identity, token))
  }

  function remember(line: string, marks: readonly ForeignCut[]): void {
    lines.delete(line)
    lines.set(line, marks.slice(0, MOST_MARKS))
    for (const old of lines.keys()) if (lines.size > MOST_LINES) lines.delete(old)
  }

  async function cut(start: ForeignCallStart): Promise<ForeignCutResult> {
    // What goes to any other path, such as a list of models, is no conversation.
    const { format } = identifyCall(start.head, undefined)
    if (format === undefined || format === 'embeddings') return { facts: { state: 'fits' } }
    if (!start.plain) throw new Error(`it is not in the encoding ${start.head.headers['content-encoding']}`)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(start.plain)
    const body = JSON.parse(text) as unknown
    const identity = identifyCall(start.head, body)
    const { kind } = identity
    // Neither a count nor a cache that is made for later is a conversation.
    if (kind === 'count' || kind === 'other') return { facts: { state: 'kept-elsewhere' } }
    const id = `${start.provider}/${identity.model ?? 'unknown'}`
    const facts = factsOf(id) ?? (await resolve(id)).facts
    // A window that is only assumed may be far too small.
    if (facts.source === 'assumed' || facts.assumed?.includes('window')) return { facts: { state: 'window-unknown' } }
    const assembly = await explainInSlices(context.store.clock, {
      format,
      body,
      counter,
      client: identity.client.name,
      model: id,
    })
    const { window, reserve, margin } = budgetFor(context, { id, facts } as Model, undefined, leastAnswer)
    // The program's own limit can ask for less room than usual, never for more: most ask for all that a model could write.
    const budget = { window, reserve: Math.min(reserve, identity.maxOutputTokens ?? reserve), ...defined({ margin }) }
    const line = sha256(JSON.stringify([channelOf(identity), start.caller.name, identity.session]))
    const marks = await marksOf(line, identity, start.caller.name)
    const outcome = cutRequest({ format, text, body, assembly, counter, budget, marks })
    const isForgotten =
      outcome.followed === undefined &&
      marks.length > 0 &&
      identity.session !== undefined &&
      (kind === 'turn' || kind === 'sub-agent')
    const forgotten = isForgotten ? { forgotten: true as const } : {}
    if (isForgotten) remember(line, [])
    if (outcome.type === 'whole') return { facts: { state: outcome.why, ...forgotten } }
    const others = (isForgotten ? [] : marks).filter((each) => each !== outcome.followed)
    remember(line, [outcome.marks, ...others])
    const { account, isNew } = outcome
    return {
      facts: { state: 'cut', ...forgotten },
      body: Buffer.from(outcome.text),
      marks: outcome.marks,
      account,
      isNew,
    }
  }

  return {
    /** What leaves in the place of a call. Never rejects: where anything fails, the call leaves as it came. */
    cut: (start: ForeignCallStart): Promise<ForeignCutResult> =>
      cut(start).catch((error: unknown) => ({ facts: { state: 'failed', why: errorMessage(error).slice(0, 300) } })),
  }
}

/** Calls of a session that are looked through for marks. */
const LOOKED_AT = 30

/** Those of several conversations where the call names none: which of them it goes on from, the marks tell. */
async function recordedMarks(
  store: CutParts['store'],
  identity: ForeignIdentity,
  token: string | undefined,
): Promise<readonly ForeignCut[]> {
  const conversation = identity.parent ?? identity.session
  if (conversation === undefined) {
    const sessions = await unnamedSessions(store, identity, token)
    return (await Promise.all(sessions.map((each) => lastMarks(store, each, undefined)))).flat()
  }
  const session = await store.bound({ channel: channelOf(identity), conversation })
  return session === undefined ? [] : lastMarks(store, session, identity.session)
}

async function lastMarks(
  store: CutParts['store'],
  session: string,
  thread: string | undefined,
): Promise<readonly ForeignCut[]> {
  const calls = await store.calls(session, { last: LOOKED_AT })
  const last = calls.findLast((call) => call.foreign?.session === thread && marksIn(call) !== undefined)
  const text = last && (await store.content(marksIn(last)!.replace('sha256:', '')))
  return text === undefined ? [] : [JSON.parse(text) as ForeignCut]
}

function marksIn({ input }: CallRecord): string | undefined {
  return (input as Partial<ForeignInput> | undefined)?.foreign?.marks
}
