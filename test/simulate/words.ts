import type { Random } from './random.ts'

const VOCABULARY = 'the buoy is red and a boat came home late with salt on every rope while gulls slept'.split(' ')

/** Mostly a sentence, now and then a page. */
export function words(random: Random): string {
  const count = random.chance(0.1) ? 400 + random.below(1_500) : 1 + random.below(25)
  return Array.from({ length: count }, () => random.pick(VOCABULARY)).join(' ')
}
