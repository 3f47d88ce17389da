/** A run of characters on a page, as the library tells it. Marked content has no `str`. */
interface Run {
  readonly str?: string
  readonly hasEOL?: boolean
  readonly height?: number
  /** The last one is the distance from the bottom of the page. */
  readonly transform?: readonly number[]
}

/** The lines of a page; a gap wider than lines are apart parts two paragraphs. */
export function linesOf(runs: readonly object[]): string {
  const lines: string[] = []
  let line = ''
  let height = 0
  let bottom: number | undefined
  let above: { readonly bottom: number; readonly height: number } | undefined
  const end = () => {
    const said = line.trim()
    if (said !== '') {
      if (isApart(above, bottom, height)) lines.push('')
      lines.push(said)
      if (bottom !== undefined) above = { bottom, height }
    }
    line = ''
    height = 0
    bottom = undefined
  }
  for (const { str, hasEOL, height: high, transform } of runs as readonly Run[]) {
    if (str === undefined) continue
    if (str.trim() !== '') {
      bottom ??= transform?.[5]
      height = Math.max(height, high ?? 0)
    }
    line += str
    if (hasEOL) end()
  }
  end()
  return lines.join('\n')
}

function isApart(
  above: { readonly bottom: number; readonly height: number } | undefined,
  bottom: number | undefined,
  height: number,
): boolean {
  if (above === undefined || bottom === undefined) return false
  const distance = above.bottom - bottom
  // Upwards is another column.
  return distance < 0 || distance > 1.8 * Math.max(height, Math.min(above.height, height * 2))
}
