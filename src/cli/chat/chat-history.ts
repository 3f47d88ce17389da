import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const MOST = 1_000

/** Begins a message that has more than one line: it is written as JSON behind this sign (as in RFC 7464). */
const RECORD = '\u001E'

export function readHistory(home: string): readonly string[] {
  try {
    return readFileSync(historyFile(home), 'utf8').split('\n').filter(Boolean).flatMap(messageOf)
  } catch {
    return []
  }
}

/** Writes the history so that only its owner can read it. A failure does not stop the chat. */
function writeHistory(home: string, history: readonly string[]): void {
  try {
    mkdirSync(dirname(historyFile(home)), { recursive: true, mode: 0o700 })
    const lines = history.slice(-MOST).map((text) => (text.includes('\n') ? RECORD + JSON.stringify(text) : text))
    writeFileSync(historyFile(home), lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  } catch {
    // `foreword doctor` reports a home that cannot be written.
  }
}

/** Adds a message, and keeps those that another chat on this home has added meanwhile. */
export function addToHistory(home: string, text: string): void {
  writeHistory(home, [...readHistory(home).filter((known) => known !== text), text])
}

function messageOf(line: string): readonly string[] {
  if (!line.startsWith(RECORD)) return [line]
  try {
    const text: unknown = JSON.parse(line.slice(1))
    return typeof text === 'string' ? [text] : []
  } catch {
    return []
  }
}

function historyFile(home: string): string {
  return join(home, 'data', 'chat-history')
}
