/** `npm run test:long` runs every case of every suite. */
export const runsAllCases = process.env['CASES'] === 'all'

/** Others each time. `CASES_SEED=7` takes those of a failure that was printed. */
export const casesSeed = Number(process.env['CASES_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** Random cases of the seed, in their order: one in `share`. All of them where every case is run. */
export function someCases<Case>(cases: readonly Case[], share: number): readonly Case[] {
  if (runsAllCases) return cases
  let state = casesSeed
  return cases.filter(() => {
    // A linear congruential generator: its high bits are good enough to choose by.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 < 1 / share
  })
}
