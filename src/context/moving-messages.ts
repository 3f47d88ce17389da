import type { Assembly } from './assemble.ts'

/**
 * How many messages at the end of a request the next call has elsewhere or not at all, such as a reminder: what a provider keeps up to
 * one of them is never read again. Pure.
 */
export function movingMessages({ manifest, pieces }: Pick<Assembly, 'manifest' | 'pieces'>): number {
  const last = pieces.findLastIndex(({ entry }) => manifest.entries[entry]?.slot !== 'after-input')
  return pieces.length - 1 - last
}
