/** Bounds of the ids that begin with a text, for a comparison by code points: an index on the id finds them. */
export interface IdRange {
  readonly from: string
  readonly below: string
}

/** No id holds the last code point. */
export function idRange(beginning: string): IdRange {
  return { from: beginning, below: `${beginning}\u{10FFFF}` }
}
