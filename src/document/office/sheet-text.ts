import { cleanText } from '../character-set.ts'
import { numberText } from '../../context.ts'

/**
 * Writes a sheet as text while its rows come: its name above, tabs between cells. At most `room` characters; where there are
 * more, a last line counts the rows that are left out.
 */
export function sheetText(name: string, room: number) {
  const lines = [`# ${name}`, '']
  let left = room - name.length - NOTE_ROOM
  let rows = 0
  let missing = 0
  let last = 0
  return {
    /** `number`: that of the row, from 1. */
    row(number: number, cells: readonly string[]): void {
      rows += 1
      const line = cleanText(cells.join('\t')).trimEnd()
      left -= line.length + 2
      if (left < 0) return void (missing += 1)
      // A gap in the numbers is a gap in the sheet; one blank line is enough to show it.
      if (last > 0 && number > last + 1) lines.push('')
      lines.push(line)
      last = number
    },
    end(): { readonly text: string; readonly rows: number } {
      if (missing > 0) lines.push('', `(${numberText(missing)} more rows of this sheet are left out)`)
      return { text: lines.join('\n').trimEnd(), rows }
    },
  }
}

const NOTE_ROOM = 100
