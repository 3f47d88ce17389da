import { Input, matchesKey, truncateToWidth } from '@earendil-works/pi-tui'
import { singleLine } from '../table.ts'

export interface HistorySearch {
  readonly render: (columns: number) => readonly string[]
  readonly handle: (key: string) => void
}

export interface HistorySearchOptions {
  /** Newest last. */
  readonly history: readonly string[]
  readonly onEnd: (found: string | undefined) => void
  readonly dim: (text: string) => string
}

const MOST = 5

/** Finds messages that contain every typed word, in any case, newest first. Ctrl-R or Down selects the next older one. */
export function createHistorySearch({ history, onEnd, dim }: HistorySearchOptions): HistorySearch {
  const input = new Input({ prompt: 'search: ' })
  input.focused = true
  const newest = [...new Set(history.toReversed())]
  let chosen = 0

  function found(): readonly string[] {
    const words = input.getValue().toLowerCase().split(/\s+/)
    return newest.filter((text) => words.every((word) => text.toLowerCase().includes(word)))
  }

  return {
    render(columns) {
      const all = found()
      const from = Math.max(0, Math.min(chosen - MOST + 1, all.length - MOST))
      const rows = all.slice(from, from + MOST).map((text, row) => {
        const line = truncateToWidth(`${from + row === chosen ? '› ' : '  '}${singleLine(text, columns)}`, columns, '…')
        return from + row === chosen ? line : dim(line)
      })
      const help = 'Enter selects, Ctrl-R shows older ones, Esc closes.'
      const none = all.length === 0 ? ['  no matches'] : []
      return [...input.render(columns), ...rows, ...none, dim(truncateToWidth(help, columns, '…'))]
    },
    handle(key) {
      const all = found()
      const is = (...names: Parameters<typeof matchesKey>[1][]) => names.some((name) => matchesKey(key, name))
      if (is('enter', 'tab')) onEnd(all[chosen])
      else if (is('escape', 'ctrl+g')) onEnd(undefined)
      else if (is('ctrl+r', 'down')) chosen = Math.min(chosen + 1, Math.max(0, all.length - 1))
      else if (is('up', 'ctrl+s')) chosen = Math.max(0, chosen - 1)
      else {
        input.handleInput(key)
        chosen = 0
      }
    },
  }
}
