/**
 * How names of tools are written wherever somebody names some: in `allowedTools`, under `tools`, in the tools of a custom
 * agent, and in `foreword tools allow` and `deny`. A name stands for itself; one that ends in `*` for all that begin so.
 */
export const NAME_PATTERN = { source: '^[^*]*\\*?$', fault: 'may have a * only at its end' } as const

/**
 * Whether what is written stands for a name. A pattern in the place of the name asks whether it stands for all that the
 * pattern stands for.
 */
export function standsFor(written: string, name: string): boolean {
  return written.endsWith('*') ? name.startsWith(written.slice(0, -1)) : name === written
}

/** Whether a list of names and patterns holds this one. */
export function isListed(list: readonly string[], name: string): boolean {
  return list.some((written) => standsFor(written, name))
}

/** Those that stand for a name, the most exact first: the name itself, then patterns, the longest first. */
export function mostExactFirst(written: readonly string[], name: string): readonly string[] {
  return written
    .filter((each) => standsFor(each, name))
    .toSorted((left, right) => Number(right === name) - Number(left === name) || right.length - left.length)
}
