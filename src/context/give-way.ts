import { priorities, type Priority } from './layer.ts'

/** Something that can step down to a smaller form, or be left out. */
export interface Holder {
  readonly priority: Priority
  /** Fullest first, each cheaper than the one before; at least one. */
  readonly forms: readonly { readonly tokens: number }[]
}

/** The index of the form that is left of each holder; `undefined`: it is left out. */
export type Remainder = readonly (number | undefined)[]

/**
 * Lets holders give way until they fit `limit` tokens, or until none can give way any further.
 *
 * Low priority gives way first, among equals the one declared last, and everything shrinks before anything is left out.
 * The order does not look at the limit, so more room never leaves less.
 */
export function giveWay(holders: readonly Holder[], limit: number, shrinks: boolean): Remainder {
  const remainder: (number | undefined)[] = holders.map(() => 0)
  let tokens = holders.reduce((sum, holder) => sum + holder.forms[0]!.tokens, 0)
  if (tokens <= limit) return remainder
  for (const { index, form } of stepsDown(holders, shrinks)) {
    tokens += formTokens(holders[index]!, form) - formTokens(holders[index]!, remainder[index])
    remainder[index] = form
    if (tokens <= limit) break
  }
  return remainder
}

/**
 * Gives back what steps of others have made room for: to hard holders first, each the fullest form that fits `limit`
 * beside what is left of the rest. A form that costs nothing fits everywhere.
 */
export function takeBack(holders: readonly Holder[], left: Remainder, limit: number, shrinks: boolean): Remainder {
  const remainder = [...left]
  let tokens = remainingTokens(holders, left)
  for (const priority of priorities.toReversed()) {
    for (const index of lastFirst(holders, priority).toReversed()) {
      const { forms } = holders[index]!
      const before = formTokens(holders[index]!, remainder[index])
      const fuller = forms.findIndex(
        (form, at) => (shrinks || at === 0) && tokens - before + form.tokens <= Math.max(limit, tokens),
      )
      if (fuller < 0 || fuller >= (remainder[index] ?? forms.length)) continue
      tokens += forms[fuller]!.tokens - before
      remainder[index] = fuller
    }
  }
  return remainder
}

/** Tokens of what is left. */
export function remainingTokens(holders: readonly Holder[], remainder: Remainder): number {
  return holders.reduce((sum, holder, index) => sum + formTokens(holder, remainder[index]), 0)
}

function* stepsDown(
  holders: readonly Holder[],
  shrinks: boolean,
): Generator<{ readonly index: number; readonly form: number | undefined }> {
  const deepest = shrinks ? Math.max(0, ...holders.map((holder) => holder.forms.length - 1)) : 0
  for (const priority of priorities) {
    for (let form = 1; form <= deepest; form++) {
      for (const index of lastFirst(holders, priority)) {
        if (form < holders[index]!.forms.length) yield { index, form }
      }
    }
  }
  for (const priority of priorities) {
    if (priority === 'required') continue
    for (const index of lastFirst(holders, priority)) yield { index, form: undefined }
  }
}

function lastFirst(holders: readonly Holder[], priority: Priority): readonly number[] {
  return [...holders.keys()].filter((index) => holders[index]!.priority === priority).toReversed()
}

function formTokens(holder: Holder, form: number | undefined): number {
  return form === undefined ? 0 : holder.forms[form]!.tokens
}
