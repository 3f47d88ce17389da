import type { Measured } from './measure.ts'

/**
 * What gateways and database would reach with more cores, one line for each number of them: a gateway has one thread for its turns, and
 * everything together has the cores.
 */
export function calculate(gateways: readonly Measured[]): readonly string[] {
  const [one] = gateways
  const rate = ({ gatewaysMs, databaseMs }: Measured, count: number, cores: number) =>
    Math.min((count * 1_000) / gatewaysMs, (cores * 1_000) / (gatewaysMs + databaseMs))
  return [4, 8, 16].map((cores) => {
    const least = rate(one!, 1, cores)
    const cells = gateways.map((measured, index) => {
      const count = 2 ** index
      const reached = rate(measured, count, cores)
      return `${count} gateway${count === 1 ? '' : 's'} ${reached.toFixed(0)} (${(reached / least).toFixed(1)} times one)`
    })
    return `  ${cores} cores: ${cells.join(', ')}`
  })
}
