import type { Clock } from '../../capability.ts'
import type { Model } from '../../model.ts'
import type { CallOutcome } from '../../session.ts'

/** Which slot of an engine each session has. An engine keeps one conversation in each. */
export type SlotAffinity = ReturnType<typeof createSlotAffinity>

/** How calls end that were refused a slot. */
const NO_ANSWER: ReadonlySet<string> = new Set(['timeout', 'network', 'server', 'bad-request'])
/** A person who cancels a call sooner has seen no slot that does not exist, ms. */
const LONG_WAIT_MS = 60_000

/** After so long without a call a session gives up its slot. */
const IDLE_MS = 30 * 60_000

interface Owner {
  readonly slot: number | undefined
  readonly running: Set<string>
  /** Of its last call, ms. */
  at: number
}

/**
 * An engine chooses the slot whose content is most alike, and a new conversation is like all others: it has the same head. So
 * each session has a slot of its own while there is one for every session that is in use. Otherwise the engine chooses, as it
 * can move what it displaces into its memory. A second call of a session does not wait for the first one's slot either.
 *
 * An engine waits for ever for a slot that it does not have. So after a call without an answer, as when a server was started
 * again with fewer slots, none is named any more.
 */
export function createSlotAffinity(clock: Pick<Clock, 'monotonic'>) {
  const owners = new Map<string, Map<string, Owner>>()
  const running = new Map<string, { readonly model: string; readonly owner: Owner; readonly named: boolean }>()
  const refused = new Set<string>()

  return {
    take({ id, facts }: Model, session: string, call: string) {
      const slots = facts.cache?.slotCount ?? 0
      if (slots < 2 || refused.has(id)) return undefined
      const own = owners.get(id) ?? new Map<string, Owner>()
      owners.set(id, own)
      const now = clock.monotonic()
      for (const [name, { at, running: calls }] of own) {
        if (now - at > IDLE_MS && calls.size === 0) own.delete(name)
      }
      const owner = own.get(session) ?? { slot: freeSlot(own, slots), running: new Set(), at: now }
      own.set(session, owner)
      owner.at = now
      const named = own.size <= slots && owner.running.size === 0 && owner.slot !== undefined && owner.slot < slots
      owner.running.add(call)
      running.set(call, { model: id, owner, named })
      return named ? owner.slot : undefined
    },
    end(call: string, outcome?: Pick<CallOutcome, 'error' | 'firstTokenMs' | 'durationMs'>) {
      const taken = running.get(call)
      if (!taken) return
      running.delete(call)
      taken.owner.running.delete(call)
      taken.owner.at = clock.monotonic()
      if (taken.named && outcome && mayHaveWaited(outcome)) refused.add(taken.model)
    },
  }
}

function mayHaveWaited({ error, firstTokenMs, durationMs }: Parameters<SlotAffinity['end']>[1] & object): boolean {
  if (!error || firstTokenMs !== undefined) return false
  return NO_ANSWER.has(error.code) || (error.code === 'cancelled' && durationMs > LONG_WAIT_MS)
}

function freeSlot(owners: ReadonlyMap<string, Owner>, slots: number): number | undefined {
  const taken = new Set([...owners.values()].map(({ slot }) => slot))
  return Array.from({ length: slots }, (_, slot) => slot).find((slot) => !taken.has(slot))
}
