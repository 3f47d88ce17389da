/** Takes what comes of a stream, piece by piece. Answers false, from then on, where a line grew beyond all bounds. */
export type MessageLines = (chunk: Buffer) => boolean

const LINE_FEED = 10

/** Gives each whole line to `onLine`, and looks at no byte twice, however small the pieces are. */
export function messageLines(longestBytes: number, onLine: (line: string) => void): MessageLines {
  let pieces: Buffer[] = []
  let size = 0
  return (chunk) => {
    for (let from = 0; size <= longestBytes;) {
      const end = chunk.indexOf(LINE_FEED, from)
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end)
      pieces.push(piece)
      size += piece.length
      if (end === -1 || size > longestBytes) break
      const line = Buffer.concat(pieces).toString('utf8')
      pieces = []
      size = 0
      from = end + 1
      onLine(line)
    }
    if (size <= longestBytes) return true
    pieces = []
    return false
  }
}
