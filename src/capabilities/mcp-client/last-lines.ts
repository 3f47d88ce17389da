import type { Readable } from 'node:stream'

/** So many lines are kept, of so many characters. */
const LINES = 4
const CHARACTERS = 200

/** The most that is kept of a line that does not end, characters. */
const LONGEST = 10_000

/** Keeps the last lines of what a program says, and nothing else of it. */
export function keepLastLines(stream: Readable): () => readonly string[] {
  let kept: readonly string[] = []
  let unfinished = ''
  stream.setEncoding('utf8')
  stream.on('error', () => {})
  stream.on('data', (chunk: string) => {
    const lines = (unfinished + chunk).split(/\r\n|\n|\r/)
    unfinished = (lines.pop() ?? '').slice(-LONGEST)
    kept = [...kept, ...lines.map(readable).filter(Boolean)].slice(-LINES)
  })
  return () => [...kept, readable(unfinished)].filter(Boolean).slice(-LINES)
}

/** Without the codes that colour a terminal. */
function readable(line: string): string {
  // oxlint-disable-next-line no-control-regex
  const clean = line.replace(/\u001B\[[0-9;]*[A-Za-z]|[\u0000-\u001F\u007F]/g, ' ').trim()
  return clean.length > CHARACTERS ? `${clean.slice(0, CHARACTERS)} …` : clean
}
