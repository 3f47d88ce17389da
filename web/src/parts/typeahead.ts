/**
 * The item that typed letters mean, or -1: of one letter, also of one that is repeated, the next item that begins with it;
 * of more letters, the first that begins with them, from the current item on. Names and letters are in lower case.
 */
export function matchingItem(names: readonly string[], current: number, typed: string): number {
  const [letter] = Array.from(typed)
  const isRepeated = letter !== undefined && typed.replaceAll(letter, '') === ''
  const wanted = isRepeated ? letter : typed
  const first = isRepeated ? current + 1 : Math.max(0, current)
  const order = names.map((_, index) => (first + index) % names.length)
  return order.find((index) => names[index]!.startsWith(wanted)) ?? -1
}
