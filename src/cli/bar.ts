import type { Io } from '../capability.ts'

/** Amounts of one kind, such as tokens of a window. */
export interface BarShares {
  readonly used: number
  /** What is kept free, such as the room for the answer. It is drawn at the end of the bar. */
  readonly reserved?: number
  readonly whole: number
}

/**
 * A bar of `columns` columns for people: what is used, what is free, what is reserved. An amount above zero is never drawn as nothing,
 * and the bar is full only where nothing is free. A dumb terminal gets ASCII.
 */
export function bar({ used, reserved = 0, whole }: BarShares, columns: number, io: Pick<Io, 'environment'>): string {
  const [full, free, kept] = io.environment.TERM === 'dumb' ? ['#', '-', '.'] : ['█', '░', '▒']
  const reservedCells = cells(reserved, whole, columns)
  const usable = columns - reservedCells
  const usedCells =
    whole > 0 && used + reserved >= whole ? usable : Math.min(cells(used, whole, columns), Math.max(0, usable - 1))
  return full.repeat(usedCells) + free.repeat(usable - usedCells) + kept.repeat(reservedCells)
}

function cells(amount: number, whole: number, columns: number): number {
  if (!(amount > 0) || !(whole > 0)) return 0
  return Math.min(columns, Math.max(1, Math.round((amount / whole) * columns)))
}
