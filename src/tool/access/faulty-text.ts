export function faultyText(problems: readonly string[]): string {
  return `tool-access.json is faulty: ${problems.length === 0 ? 'it cannot be read' : problems.join('; ')}`
}
