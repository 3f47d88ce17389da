/** The words of a line as a shell has them: quotes taken off, what they hold kept together. */
export function words(line: string): readonly string[] {
  const found: string[] = []
  const pattern = /((?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)/g
  for (const [word] of line.matchAll(pattern)) {
    found.push(
      word.replaceAll(
        /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
        (_all, single, double, escaped) => single ?? double ?? escaped,
      ),
    )
  }
  return found
}
