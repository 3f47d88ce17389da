import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** Chance that comes from a seed alone. */
export interface Random {
  /** From 0 up to 1, 1 excluded. */
  fraction(): number
  /** A whole number from 0 up to `limit`, `limit` excluded. */
  below(limit: number): number
  /** `true` in `share` of all cases. */
  chance(share: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** Chance of its own for one purpose: more draws here change nothing there. */
  fork(purpose: string): Random
}

export function randomOf(seed: string): Random {
  let state = hash(seed)
  // mulberry32: 32 bits of state are enough to choose among stories.
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(fraction() * limit)
  return {
    fraction,
    below,
    chance: (share) => fraction() < share,
    pick: (items) => items[below(items.length)]!,
    fork: (purpose) => randomOf(`${seed}/${purpose}`),
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

const real = { random: Math.random, randomUUID: crypto.randomUUID, randomBytes: crypto.randomBytes }

/** Whatever asks this thread for chance gets that of the story; without it, that of the machine again. */
export function useChance(random: Random | undefined): void {
  const bytes = (size: number) => Buffer.from(Array.from({ length: size }, () => random!.below(256)))
  const uuid = () =>
    bytes(16)
      .toString('hex')
      .replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-4$3-8$4-$5')
  Math.random = random ? random.fraction : real.random
  Object.assign(crypto, {
    randomUUID: random ? uuid : real.randomUUID,
    randomBytes: random ? bytes : real.randomBytes,
  })
  globalThis.crypto.randomUUID = crypto.randomUUID
  syncBuiltinESMExports()
}
