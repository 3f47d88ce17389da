const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/**
 * Returns a function that reports, for each chunk of a stream, the size of the largest event in it so far, in bytes.
 * Server-sent events end with a blank line; in a stream of lines, each line is an event.
 */
export function largestEvent(form: 'events' | 'lines' = 'events'): (chunk: Uint8Array) => number {
  let size = 0
  let lineLength = 0
  return (chunk) => {
    let largest = 0
    for (const byte of chunk) {
      size += 1
      if (size > largest) largest = size
      if (byte === LINE_FEED) {
        if (lineLength === 0 || form === 'lines') size = 0
        lineLength = 0
      } else if (byte !== CARRIAGE_RETURN) lineLength += 1
    }
    return largest
  }
}
