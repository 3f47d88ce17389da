/** Whether a character is one of those that `trim` takes away: what only stands between words. */
export function isBlank(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0xa0) return false
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  )
}

/** The first position from `start` on that is not blank, or `end`. */
export function inkStart(text: string, start: number, end: number): number {
  let at = start
  while (at < end && isBlank(text.charCodeAt(at))) at += 1
  return at
}

/** The position behind the last character before `end` that is not blank, or `start`. */
export function inkEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isBlank(text.charCodeAt(at - 1))) at -= 1
  return at
}
