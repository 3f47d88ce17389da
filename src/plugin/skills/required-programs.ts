/** Says whether a program is there to be run. */
export type FindBinary = (name: string) => Promise<boolean>

/** What of `metadata.requires.bins` is missing, in words; `undefined` where nothing is. */
export async function missingPrograms(
  requires: readonly (readonly string[])[],
  findBinary: FindBinary,
): Promise<string | undefined> {
  const missing: string[] = []
  for (const anyOf of requires) {
    const found = await Promise.all(anyOf.map(findBinary))
    if (found.includes(true)) continue
    missing.push(anyOf.length === 1 ? anyOf[0]! : `one of ${anyOf.join(', ')}`)
  }
  return missing.length === 0 ? undefined : `it needs ${missing.join(' and ')}, not found on PATH`
}
