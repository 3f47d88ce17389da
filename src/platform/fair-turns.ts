import type { Clock } from './clock.ts'

/** A task may run until it ends its turn, once. */
export interface FairTurn {
  /**
   * `overran`: it was stopped at its time limit. For some minutes its owner then leaves one slot, where there are several, to
   * others. `milliseconds`: what it used, where that is another time than that of the clock.
   */
  end(overran?: boolean, milliseconds?: number): void
}

interface Owner {
  /** ms, as of `time`. */
  used: number
  time: number
  overran: boolean
  readonly running: Set<{ readonly began: number }>
  readonly waiting: (() => void)[]
  /** How many of its turns may run at once. */
  slots: number
}

const HALF_LIFE_MS = 60_000

/** Owners are forgotten from so many on, where they neither run nor wait and have used next to nothing. */
const MANY_OWNERS = 256

/**
 * Lets a limited number of tasks run at once, and of one owner `slotsOfOwner`. Where several owners wait, the one that has used the
 * least time lately is next.
 */
export function fairTurns(slots: number, { monotonic: now }: Pick<Clock, 'monotonic'>, slotsOfOwner = slots) {
  const owners = new Map<string, Owner>()
  let free = slots

  const usedBy = ({ used, time, running }: Owner): number => {
    const ended = used * 2 ** ((time - now()) / HALF_LIFE_MS)
    return [...running].reduce((sum, { began }) => sum + now() - began, ended)
  }
  /** Below a hundredth of a second an owner counts as new. */
  const isForgiven = (owner: Owner) => usedBy(owner) < 10
  const mayRun = (owner: Owner) =>
    owner.running.size < owner.slots &&
    (!owner.overran || isForgiven(owner) || owner.running.size < Math.max(1, slots - 1))

  function ownerOf(name: string): Owner {
    if (owners.size >= MANY_OWNERS) {
      for (const [other, each] of owners) {
        if (each.running.size === 0 && each.waiting.length === 0 && isForgiven(each)) owners.delete(other)
      }
    }
    const owner = owners.get(name) ?? {
      used: 0,
      time: now(),
      overran: false,
      running: new Set(),
      waiting: [],
      slots: slotsOfOwner,
    }
    owners.set(name, owner)
    return owner
  }

  /** Begins one waiting task, if there is room for it. */
  function next(): void {
    const able = [...owners.values()].filter((owner) => owner.waiting.length > 0 && mayRun(owner))
    if (free === 0 || able.length === 0) return
    able.reduce((least, owner) => (usedBy(owner) < usedBy(least) ? owner : least)).waiting.shift()!()
  }

  function begin(owner: Owner): FairTurn {
    const turn = { began: now() }
    free -= 1
    owner.running.add(turn)
    return {
      end(overran = false, milliseconds = now() - turn.began) {
        if (!owner.running.has(turn)) return
        const used = usedBy(owner) - (now() - turn.began) + milliseconds
        owner.overran = overran || (owner.overran && used >= 10)
        owner.running.delete(turn)
        // The other running turns are counted when they end.
        owner.used = [...owner.running].reduce((rest, { began }) => rest - (now() - began), used)
        owner.time = now()
        free += 1
        // More than one where an owner was forgiven meanwhile.
        for (let slot = free; slot > 0; slot -= 1) next()
      },
    }
  }

  return {
    /** The time that an owner's turns took lately, ms. It halves every minute. */
    used(name: string): number {
      const owner = owners.get(name)
      return owner ? usedBy(owner) : 0
    },
    /**
     * Resolves with a turn, in the order of the calls for one owner. Rejects with the reason of `signal` while waiting. `most`: how many of
     * this owner may run at once from now on.
     */
    async take(name: string, signal?: AbortSignal, most = slotsOfOwner): Promise<FairTurn> {
      signal?.throwIfAborted()
      const owner = ownerOf(name)
      owner.slots = most
      const { promise, resolve, reject } = Promise.withResolvers<FairTurn>()
      const run = () => resolve(begin(owner))
      const abandon = () => {
        const place = owner.waiting.indexOf(run)
        if (place !== -1) owner.waiting.splice(place, 1)
        reject(signal?.reason)
      }
      owner.waiting.push(run)
      signal?.addEventListener('abort', abandon, { once: true })
      try {
        next()
        return await promise
      } finally {
        signal?.removeEventListener('abort', abandon)
      }
    },
  }
}
