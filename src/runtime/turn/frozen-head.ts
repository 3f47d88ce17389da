import {
  type Assembly,
  type AssemblyInput,
  ContextOverflowError,
  type Cut,
  choosePlacements,
  freezeHead,
  keepPlacements,
  type Manifest,
  type PlacedCall,
  placedCall,
} from '../../context.ts'
import { forecast, type Model } from '../../model.ts'
import type { AssemblyContext } from './assembly-context.ts'
import { type CacheLife, lifeSeconds } from '../calls/cache-life.ts'
import { placementRules } from '../calls/recent-placements.ts'
import { type HeadPin, headShape } from '../calls/head-pin.ts'
import type { FrozenParts } from '../calls/head-record.ts'

/** What is known of the session when a call is assembled. */
export interface HeadQuestion {
  readonly pin: HeadPin | undefined
  /** The last call that a provider began to answer. */
  readonly read:
    | {
        readonly model: string
        readonly at: number
        readonly life?: CacheLife
        readonly usage?: { readonly promptTokens?: number } | undefined
      }
    | undefined
  readonly now: number
}

/** Why a head was composed again although the session had one. */
export type FoldReason =
  | 'no-pin'
  | 'model'
  | 'layout'
  | 'cache-over'
  | 'own-prompt'
  | 'first-tools'
  | 'new-tool'
  | 'large-change'
  | 'cut'
  | 'no-room'

/** An assembly with the head of the session. */
export interface FrozenAttempt<Attempt> extends FrozenParts {
  readonly attempt: Attempt
  /** Absent where the head is the pinned one, and where the session had none. */
  readonly folded?: FoldReason
}

interface Attempted {
  readonly input: AssemblyInput
  readonly outcome: Assembly | ContextOverflowError
}

/**
 * Accounts for a call with the pinned head of its session, and announces what has changed behind the history. Where the beginning of
 * the request is lost to the cache anyway, the head is composed again: at a cut, at a change of the model, after a long pause. A
 * head that is composed again loses the cache, too: a cut that is near is made in the same call.
 */
export async function withPinnedHead<Attempt extends Attempted>(
  context: Pick<AssemblyContext, 'settings'>,
  model: Model,
  { head, composed, keepsTools, recent }: HeadInput,
  account: (input: AssemblyInput) => Promise<Attempt>,
): Promise<FrozenAttempt<Attempt>> {
  const pin = head?.pin
  const placed = (loses: PlacedCall | 'nothing' | undefined): AssemblyInput => {
    const rules = placementRules(model, composed.layout)
    return loses ? { ...composed, layers: choosePlacements(composed, { calls: recent, rules, loses }) } : composed
  }
  const compose = async (folded?: FoldReason, kept?: PlacedCall): Promise<FrozenAttempt<Attempt>> => {
    const input = placed(folded ? (kept ?? 'nothing') : recent.at(-1))
    return {
      attempt: await account(withoutWorth(folded ? cutsSoon(context, input) : input)),
      announcements: [],
      ...(folded ? { folded } : {}),
    }
  }
  // A just-fit layout cuts at every call: its head is composed at every call, too.
  if (!head || composed.layout.cut.lowWater >= 1) return compose()
  // The head was to be composed again, or is not known any more.
  if (!pin) return head.read && recent.length > 0 ? compose('no-pin', recent.at(-1)) : compose()
  const fold =
    whyFold(context, model, head, pin, composed) ?? (keepsTools ? offersFreely(model, head, pin, composed) : undefined)
  if (fold) return compose(fold)

  const input = { ...composed, layers: keepPlacements(composed, pin.places) }
  const asked = keepsTools ? input : { ...input, tools: pin.announcements.at(-1)?.head.tools ?? pin.head.tools }
  const { input: pinned, announcements, folds } = freezeHead(asked, pin, pin.turn !== input.current.id)
  if (folds) return compose(folds)
  // A cut composes a changed head again: all of the prompt would be sent again, and not only what follows on the note.
  const weighed = pinned === input ? pinned : withoutWorth(pinned)
  const attempt = await account(keepsTools ? weighed : { ...weighed, tools: [] })
  if (attempt.outcome instanceof ContextOverflowError) return compose('no-room')
  const { manifest } = attempt.outcome
  if (wasCut(input, manifest)) {
    const kept = placedCall(manifest, { turn: input.current.id, at: head.now })
    const isMade = attempt.outcome.gain === undefined
    if (isMade && (pinned !== input || hasMoved(input, placed(kept)))) return compose('cut', kept)
  }
  if (pinned !== input && keepsTools && headShape(manifest) !== pin.shape) return compose('no-room')
  return { attempt, announcements, ...(keepsTools ? {} : { tools: pin.head.tools }) }
}

function withoutWorth({ notes, ...input }: AssemblyInput): AssemblyInput {
  if (!notes?.worth) return notes ? { ...input, notes } : input
  const { worth: _worth, ...others } = notes
  return { ...input, notes: others }
}

/** A fold loses the beginning of the prompt, and all behind it is sent again: a cut that is near costs nothing in the same call. */
function cutsSoon({ settings }: Pick<AssemblyContext, 'settings'>, input: AssemblyInput): AssemblyInput {
  const { notes } = input
  // Without words a note loses more: it is made where it must.
  return notes && (notes.words || settings.notes === 'index')
    ? { ...input, notes: { ...notes, cacheOver: true } }
    : input
}

interface HeadInput {
  readonly head: HeadQuestion | undefined
  readonly composed: AssemblyInput
  readonly keepsTools: boolean
  /** Where the last calls of the session had their layers, oldest first. */
  readonly recent: readonly PlacedCall[]
}

function hasMoved({ layers: before }: AssemblyInput, { layers: after }: AssemblyInput): boolean {
  return before.some(({ placement }, index) => placement !== after[index]?.placement)
}

/** What has no rule of its own is taken for alive so long, seconds. */
const USUAL_LIFETIME = 3600

function whyFold(
  { settings }: Pick<AssemblyContext, 'settings'>,
  model: Model,
  { read, now }: HeadQuestion,
  pin: HeadPin,
  { layers }: AssemblyInput,
): FoldReason | undefined {
  if (pin.model !== model.id) return 'model'
  if (pin.layout !== JSON.stringify(settings.layout) || pin.counter !== settings.counter.id) return 'layout'
  const { cache } = model.facts
  const lifetime = cache ? lifeSeconds(cache, read?.life, 'head') : USUAL_LIFETIME
  if (!read || read.model !== model.id || now - read.at > lifetime * 1000) return 'cache-over'
  const known = pin.announcements.at(-1)?.head ?? pin.head
  return ownPrompt(layers) === ownPrompt(known.layers) ? undefined : 'own-prompt'
}

/**
 * A tool that was allowed since is offered at once where the cache has nothing of the prompt, since it is shorter than the provider
 * caches: the head is then composed again for nothing.
 */
function offersFreely(
  { facts: { cache } }: Model,
  { read }: HeadQuestion,
  pin: HeadPin,
  { tools = [] }: AssemblyInput,
): 'new-tool' | undefined {
  const promptTokens = read?.usage?.promptTokens
  if (!cache || promptTokens === undefined) return undefined
  const known = new Set(pin.head.tools.map(({ name }) => name))
  if (tools.every(({ name }) => known.has(name))) return undefined
  return forecast({ promptTokens, reuseTokens: promptTokens, cache }).cached === 0 ? 'new-tool' : undefined
}

/** The system prompt that a message brought with it: it is no change of the home, and holds at once. */
function ownPrompt(layers: AssemblyInput['layers']): string | undefined {
  return layers.find(({ origin }) => origin?.ref === OWN_PROMPT)?.renditions[0]?.text
}

/** What prepares a turn names it so. */
export const OWN_PROMPT = 'system prompt of this turn'

/** Whether the marks of a call lie elsewhere than those that it was given. What a note says of itself is no mark. */
function wasCut({ cut }: AssemblyInput, manifest: Manifest): boolean {
  const marks = (of: Cut | undefined) =>
    JSON.stringify([of?.dropBefore, of?.clearBefore, of?.excerptBefore, of?.first, of?.notes?.length])
  return manifest.cut !== undefined && marks(manifest.cut) !== marks(cut)
}
