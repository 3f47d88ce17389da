import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Messages that are kept. */
const MOST = 1_000

/** Begins a message that has more than one line: it is written as JSON behind this sign (as in RFC 7464). */
const RECORD = '\u001E'

/** What was typed in `foreword chat`, kept in the home for the next one. Newest last. */
export function readHistory(home: string): readonly string[] {
  try {
    return readFileSync(historyFile(home), 'utf8').split('\n').filter(Boolean).flatMap(messageOf)
  } catch {
    return []
  }
}

/** For its owner's eyes alone. A history that cannot be written stops nobody from talking. */
function writeHistory(home: string, history: readonly string[]): void {
  try {
    mkdirSync(dirname(historyFile(home)), { recursive: true, mode: 0o700 })
    const lines = history.slice(-MOST).map((text) => (text.includes('\n') ? RECORD + JSON.stringify(text) : text))
    writeFileSync(historyFile(home), lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  } catch {
    // Told by `foreword doctor`.
  }
}

/** Keeps one more message, beside what another chat on the same home has kept meanwhile. */
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
