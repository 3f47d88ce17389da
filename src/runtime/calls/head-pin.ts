import { type AnnouncedHead, type Manifest, type PinnedHead, type Placement, sentHead } from '../../context.ts'
import { type CallRecord, importedHeadKey, type SessionStore } from '../../session.ts'
import type { CallInput } from './call-input.ts'
import { restoreHead } from './head-record.ts'

/** The head that the calls of a session begin with, as its last call was sent. */
export interface HeadPin extends PinnedHead {
  readonly call: string
  /** The turn of that call: a turn that has begun announces no further change. */
  readonly turn: string | undefined
  readonly model: string
  readonly shape: string
  /** Where each of its layers is placed, those of the tail too, by its id. */
  readonly places: Readonly<Record<string, Placement>>
  readonly layout: string
  readonly counter: string
  /** `seq` of the last entry before it. */
  readonly upTo: number
}

/** Where the pinned head of a session is at hand. */
export interface HasPin {
  pin?: HeadPin | undefined
  /** How often contents had been removed when it was made. */
  pinRemovals?: number
  /** `seq` of the last entry after which the head is composed again, as far as this process has seen one. */
  foldedAt?: number
}

/** The pin that a call leaves, from its record. */
export function pinOf(
  record: Pick<CallRecord, 'id' | 'turn' | 'model' | 'upTo' | 'manifest'>,
  input: Pick<CallInput, 'layout' | 'counter'>,
  { announcements, ...sent }: Parameters<typeof sentHead>[0] & { readonly announcements: readonly AnnouncedHead[] },
): HeadPin {
  return {
    ...sentHead(sent, record.manifest),
    announcements,
    shape: headShape(record.manifest),
    places: Object.fromEntries(
      record.manifest.entries.flatMap(({ id, slot }) => {
        const isPlace = slot !== 'tools' && slot !== 'history' && slot !== 'input'
        return isPlace ? [[id, slot] as const] : []
      }),
    ),
    call: record.id,
    turn: record.turn,
    model: record.model,
    layout: JSON.stringify(input.layout),
    counter: input.counter,
    upTo: record.upTo ?? 0,
  }
}

/** The layers of a head by their places and forms. */
export function headShape({ entries }: Pick<Manifest, 'entries'>): string {
  const head = entries.filter(({ slot }) => slot === 'system' || slot === 'preamble')
  return head.map(({ slot, id, form = '' }) => JSON.stringify([slot, id, form])).join()
}

/**
 * The pinned head of a session: of its last call that was sent, which may be one of another process. `undefined` where there was
 * none, where the head was to be composed again since, and where a part of it is gone. It is read again once a content was removed, so
 * that nothing outlives the deletion of a session whose words it has.
 */
export async function readPin(
  store: Pick<SessionStore, 'call' | 'content' | 'contentRemovals' | 'entries' | 'value'>,
  state: HasPin & { readonly session: string; readonly lastCall: { readonly call: string } | undefined },
): Promise<HeadPin | undefined> {
  const call = state.lastCall?.call
  const removals = store.contentRemovals()
  const hasRemoved = state.pinRemovals !== removals
  state.pinRemovals = removals
  if (call === undefined) return undefined
  if (state.pin?.call !== call || hasRemoved) {
    state.pin = (await wasImported(store, state.session, call)) ? undefined : await pinInRecord(store, call)
    const [fold] = state.pin
      ? await store.entries(state.session, { types: ['fold'], after: state.pin.upTo, last: 1 })
      : []
    if (fold) state.foldedAt = fold.seq
  }
  return state.pin && state.pin.upTo >= (state.foldedAt ?? 0) ? state.pin : undefined
}

/** Whether the last call of a session came with an import. What its record says of itself does not count: the log was numbered here. */
async function wasImported(
  store: Pick<SessionStore, 'entries' | 'value'>,
  session: string,
  call: string,
): Promise<boolean> {
  const imported = await store.value(importedHeadKey(session))
  if (typeof imported !== 'number') return false
  const [own] = await store.entries(session, { types: ['assembly'], after: imported, last: 1 })
  return own?.type !== 'assembly' || own.call !== call
}

async function pinInRecord(store: Pick<SessionStore, 'call' | 'content'>, call: string): Promise<HeadPin | undefined> {
  const record = await store.call(call)
  if (!record || record.requestDigest === '') return undefined
  const input = record.input as CallInput
  if (!Array.isArray(input.layers) || typeof input.tools !== 'string') return undefined
  const parts = await restoreHead(store, input)
  return parts && pinOf(record, input, parts)
}
