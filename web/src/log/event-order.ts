/** Whether an event comes after another. Ids are `SEQ` or `SEQ.N`. */
export function isAfter(id: string, last = '0'): boolean {
  const [seq = 0, delta = 0] = id.split('.').map(Number)
  const [lastSeq = 0, lastDelta = 0] = last.split('.').map(Number)
  return seq > lastSeq || (seq === lastSeq && delta > lastDelta)
}
