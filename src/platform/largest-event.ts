const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/**
 * Returns a function that reports, for each chunk of a stream, the size of the largest event in it so far, in bytes.
 * Server-sent events end with a blank line; in a stream of lines, each line is an event.
 */
export function largestEvent(form: 'events' | 'lines' = 'events'): (chunk: Uint8Array) => number {
  let size = 0
  let isBlankLine = true
  return (chunk) => {
    let largest = 0
    for (let from = 0; from < chunk.length;) {
      const lineFeed = chunk.indexOf(LINE_FEED, from)
      const end = lineFeed === -1 ? chunk.length : lineFeed + 1
      size += end - from
      if (size > largest) largest = size
      // Few lines begin with a carriage return, so one byte of nearly each is looked at.
      for (let at = from; isBlankLine && at < end; at += 1) {
        isBlankLine = chunk[at] === CARRIAGE_RETURN || chunk[at] === LINE_FEED
      }
      if (lineFeed !== -1) {
        if (isBlankLine || form === 'lines') size = 0
        isBlankLine = true
      }
      from = end
    }
    return largest
  }
}
