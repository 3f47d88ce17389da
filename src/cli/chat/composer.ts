import {
  type AutocompleteProvider,
  Editor,
  isKeyRelease,
  matchesKey,
  truncateToWidth,
  type TUI,
} from '@earendil-works/pi-tui'
import { oneLine } from '../table.ts'
import { fromEditor, showTabs, toEditor } from './editor-text.ts'
import { type HistorySearch, historySearch } from './history-search.ts'
import type { MessageQueue } from './message-queue.ts'
import { question, type Question } from './question.ts'

/** Where messages are written: the editor, and what may stand above it. */
export interface Composer {
  /** None wider than `columns`. */
  readonly render: (columns: number) => readonly string[]
  /** What is written, tabs and long pastes in full. */
  readonly text: () => string
  /** Puts a text back that could not be sent, in front of what is written. */
  readonly putBack: (text: string) => void
  /** Asks something. The text that is being written stays. `undefined` where the question is taken back. */
  readonly ask: (text: string, signal?: AbortSignal, answers?: readonly string[]) => Promise<string | undefined>
  /** Whether a question stands. */
  readonly asks: () => boolean
  /** Takes back every question. */
  readonly close: () => void
}

export interface ComposerOptions {
  readonly tui: TUI
  readonly queue: MessageQueue
  readonly completion: AutocompleteProvider
  /** The names of the commands, without their slashes. */
  readonly commands: readonly string[]
  /** Newest last. */
  readonly history: () => readonly string[]
  readonly onMessage: (text: string) => void
  /** Ctrl-C. */
  readonly onInterrupt: () => void
  /** Any other key, or a paste. */
  readonly onKey: () => void
  /** Ctrl-D with nothing written. */
  readonly onLeave: () => void
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
}

export function composer(options: ComposerOptions): Composer {
  const { tui, queue, dim, bold } = options
  const same = (text: string) => text
  const selectList = { selectedPrefix: same, selectedText: bold, description: dim, scrollInfo: dim, noMatch: dim }
  const editor = new Editor(tui, { borderColor: dim, selectList }, { autocompleteMaxVisible: 6 })
  editor.setAutocompleteProvider(options.completion)
  editor.focused = true
  for (const text of options.history().slice(-100)) editor.addToHistory(toEditor(text))
  let asked: (Question & { readonly takeBack: () => void }) | undefined
  let search: HistorySearch | undefined

  const text = () => fromEditor(editor.getExpandedText())

  tui.addInputListener((data) => {
    if (!isKeyRelease(data)) take(data)
    tui.requestRender()
    return { consume: true }
  })

  function take(data: string): void {
    if (matchesKey(data, 'ctrl+c')) return options.onInterrupt()
    options.onKey()
    if (data.startsWith(PASTE)) paste(data)
    else if (search !== undefined) search.handle(data)
    else if (asked?.focused === true && matchesKey(data, 'ctrl+d')) options.onLeave()
    else if (asked?.focused === true) answer(asked, data)
    else if (asked !== undefined && matchesKey(data, 'escape') && !editor.isShowingAutocomplete()) asked.focused = true
    else write(data)
  }

  /** A paste is one piece of text, whatever stands in it. */
  function paste(data: string): void {
    const pasted = `${PASTE}${toEditor(data.slice(PASTE.length, -PASTE_END.length))}${PASTE_END}`
    if (search !== undefined) search.handle(pasted)
    else if (asked?.focused === true) answer(asked, pasted)
    else editor.handleInput(pasted)
  }

  function answer(open: Question, data: string): void {
    const written = open.handle(data)
    if (written !== undefined) editor.insertTextAtCursor(written)
  }

  function write(data: string): void {
    const empty = editor.getText() === ''
    if (matchesKey(data, 'ctrl+d') && empty) options.onLeave()
    else if (matchesKey(data, 'ctrl+r')) openSearch()
    else if (matchesKey(data, 'up') && empty && queue.waiting().length > 0) editor.setText(toEditor(queue.takeBack()!))
    else if (matchesKey(data, 'enter')) enter(data)
    else editor.handleInput(data)
  }

  function enter(data: string): void {
    const written = text()
    const { line, col } = editor.getCursor()
    // A list that is open takes Enter to complete a name; only a command that is whole is run.
    if (editor.isShowingAutocomplete() && !options.commands.includes(written.slice(1))) return editor.handleInput('\t')
    if (editor.getLines()[line]?.[col - 1] === '\\') return editor.handleInput(data)
    if (written.trim() === '') return queue.release()
    editor.setText('')
    editor.addToHistory(toEditor(written))
    options.onMessage(written)
  }

  function openSearch(): void {
    search = historySearch({
      history: options.history(),
      dim,
      onEnd(found) {
        search = undefined
        if (found !== undefined) editor.setText(toEditor(found))
      },
    })
  }

  return {
    text,
    render(columns) {
      const rows = search?.render(columns) ?? editor.render(columns).map(showTabs)
      editor.focused = asked?.focused !== true
      return [...queueRows(queue, columns, dim), ...(asked?.render(columns) ?? []), ...rows]
    },
    putBack(back) {
      const written = text()
      editor.setText(toEditor(written === '' ? back : `${back}\n\n${written}`))
      tui.requestRender()
    },
    async ask(asking, signal, answers) {
      if (signal?.aborted) return undefined
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      const takeBack = () => resolve(undefined)
      signal?.addEventListener('abort', takeBack, { once: true })
      asked = Object.assign(question({ text: asking, answers, onAnswer: resolve, dim }), { takeBack })
      // Nothing that is being typed becomes an answer.
      asked.focused = answers === undefined || editor.getText() === ''
      tui.requestRender()
      try {
        return await promise
      } finally {
        asked = undefined
        signal?.removeEventListener('abort', takeBack)
        tui.requestRender()
      }
    },
    asks: () => asked !== undefined,
    close: () => asked?.takeBack(),
  }
}

const PASTE = '\u001B[200~'
const PASTE_END = '\u001B[201~'

function queueRows(queue: MessageQueue, columns: number, dim: (text: string) => string): readonly string[] {
  const waiting = queue.waiting()
  if (waiting.length === 0) return []
  const word = queue.held() ? 'held' : 'queued'
  const rows = waiting.map((text) => truncateToWidth(`${word}: ${oneLine(text, columns)}`, columns, '…'))
  const help = queue.held() ? 'Enter sends it, Up takes it back.' : 'Up takes it back.'
  return [...rows, truncateToWidth(help, columns, '…')].map(dim)
}
