/** Lines of columns, two blanks apart; columns named in `right` are set flush right. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => (right.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One line, cut to so many characters. */
export function oneLine(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= limit ? line : `${line.slice(0, Math.max(0, limit - 1))}…`
}
