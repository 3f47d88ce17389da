import type { Output } from '../../../capability.ts'

export interface LiveBlock {
  readonly draw: (lines: readonly string[]) => void
}

/** A block on a terminal, below what is there. It stays where it is when nothing draws it any more. */
export function liveBlock(stdout: Output): LiveBlock {
  let drawn: readonly string[] = []
  return {
    draw(lines) {
      // A terminal that became narrower has wrapped what was drawn.
      const columns = stdout.columns || 100
      const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(cells(line) / columns)), 0)
      const back = rows === 0 ? '' : `\u001B[${rows}A\r\u001B[J`
      stdout.write(`${back}${lines.map((line) => `${line}\n`).join('')}`)
      drawn = lines
    },
  }
}

/** Without what only changes looks. */
function cells(line: string): number {
  // oxlint-disable-next-line no-control-regex -- looks begin with a control character
  return line.replaceAll(/\u001B\[\d+m/g, '').length
}
