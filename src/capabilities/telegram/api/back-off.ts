const FIRST = 1_000
const LONGEST = 60_000

/** How long to wait before the nth new try, counted from 1: 1 s to 60 s, ms. Chance keeps many from trying at one time. */
export function backOff(n: number, random: () => number): number {
  const whole = Math.min(LONGEST, FIRST * 2 ** Math.min(n - 1, 10))
  return Math.max(FIRST, whole * (0.5 + random() / 2))
}
