import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What was typed in `foreword chat`, kept in the home for the arrow keys. Newest last. */
export function readHistory(home: string): readonly string[] {
  try {
    return readFileSync(historyFile(home), 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

/** For its owner's eyes alone. A history that cannot be written stops nobody from talking. */
export function writeHistory(home: string, history: readonly string[]): void {
  try {
    mkdirSync(dirname(historyFile(home)), { recursive: true, mode: 0o700 })
    writeFileSync(historyFile(home), history.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  } catch {
    // Told by `foreword doctor`.
  }
}

function historyFile(home: string): string {
  return join(home, 'data', 'chat-history')
}
