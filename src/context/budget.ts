/** All in prompt tokens of one call. */
export interface Budget {
  /** What the model can hold, prompt and answer together. */
  readonly window: number
  /** Room for the answer. */
  readonly reserve: number
  /** Room for the counter's own error. */
  readonly margin?: number
}

/** `window` − `reserve` − `margin`, never below zero. */
export function available({ window, reserve, margin = 0 }: Budget): number {
  return Math.max(0, window - reserve - margin)
}
