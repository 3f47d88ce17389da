import { stripVTControlCharacters } from 'node:util'
import {
  type AutocompleteProvider,
  Editor,
  Input,
  isKeyRelease,
  matchesKey,
  truncateToWidth,
  type TUI,
  wrapTextWithAnsi,
} from '@earendil-works/pi-tui'
import { singleLine } from '../table.ts'
import type { MessageQueue } from './message-queue.ts'

export function createComposer(options: {
  readonly tui: TUI
  readonly queue: MessageQueue
  readonly completion: AutocompleteProvider
  readonly commands: readonly string[]
  readonly history: () => readonly string[]
  readonly onMessage: (text: string) => void
  readonly onInterrupt: () => void
  readonly onKey: () => void
  readonly onLeave: () => void
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
}) {
  const { tui, queue, dim, bold } = options
  const same = (text: string) => text
  const selectList = { selectedPrefix: same, selectedText: bold, description: dim, scrollInfo: dim, noMatch: dim }
  const editor = new Editor(tui, { borderColor: dim, selectList }, { autocompleteMaxVisible: 6 })
  editor.setAutocompleteProvider(options.completion)
  editor.focused = true
  for (const text of options.history().slice(-100)) editor.addToHistory(encodeForEditor(text))
  let asked: (Question & { readonly takeBack: () => void }) | undefined
  let search: HistorySearch | undefined

  const text = () => decodeFromEditor(editor.getExpandedText())

  tui.addInputListener((data) => {
    if (!isKeyRelease(data)) handle(data)
    tui.requestRender()
    return { consume: true }
  })

  function handle(data: string): void {
    if (matchesKey(data, 'ctrl+c')) return options.onInterrupt()
    options.onKey()
    if (data.startsWith(PASTE)) paste(data)
    else if (search !== undefined) search.handle(data)
    else if (asked?.focused === true && matchesKey(data, 'ctrl+d')) options.onLeave()
    else if (asked?.focused === true) answer(asked, data)
    else if (asked !== undefined && matchesKey(data, 'escape') && !editor.isShowingAutocomplete()) asked.focused = true
    else write(data)
  }

  /** Inserts a paste as one piece of text, whatever it contains. */
  function paste(data: string): void {
    const pasted = `${PASTE}${encodeForEditor(data.slice(PASTE.length, -PASTE_END.length))}${PASTE_END}`
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
    else if (matchesKey(data, 'up') && empty && queue.waiting().length > 0)
      editor.setText(encodeForEditor(queue.takeBack()!))
    else if (matchesKey(data, 'enter')) enter(data)
    else if (matchesKey(data, 'up')) goUp(data)
    else editor.handleInput(data)
  }

  /** An earlier message has the cursor behind it, as in a shell, so that people write on. The library puts it before. */
  function goUp(data: string): void {
    const before = editor.getText()
    editor.handleInput(data)
    if (editor.getText() === before) return
    for (let line = -1; line !== editor.getCursor().line; editor.handleInput(PAGE_DOWN)) line = editor.getCursor().line
    editor.handleInput(END)
  }

  function enter(data: string): void {
    const written = text()
    const { line, col } = editor.getCursor()
    // With an open list, Enter completes a name; only a complete command runs.
    if (editor.isShowingAutocomplete() && !options.commands.includes(written.slice(1))) return editor.handleInput('\t')
    if (editor.getLines()[line]?.[col - 1] === '\\') return editor.handleInput(data)
    if (written.trim() === '') return queue.release()
    editor.setText('')
    editor.addToHistory(encodeForEditor(written))
    options.onMessage(written)
  }

  function openSearch(): void {
    search = createHistorySearch({
      history: options.history(),
      dim,
      onEnd(found) {
        search = undefined
        if (found !== undefined) editor.setText(encodeForEditor(found))
      },
    })
  }

  return {
    text,
    render(columns: number) {
      const rows = search?.render(columns) ?? editor.render(columns).map((line) => line.replaceAll(TAB, '⇥'))
      editor.focused = asked?.focused !== true
      return [...queueRows(queue, columns, dim), ...(asked?.render(columns) ?? []), ...rows]
    },
    /** Empties the field. Up brings back what was in it. */
    clear() {
      const written = editor.getText()
      editor.setText('')
      editor.addToHistory(written)
      tui.requestRender()
    },
    /** Puts a text that could not be sent before the current text. */
    putBack(back: string) {
      const written = text()
      editor.setText(encodeForEditor(written === '' ? back : `${back}\n\n${written}`))
      tui.requestRender()
    },
    /** Asks a question and keeps the current text. `undefined` where the question is withdrawn. */
    async ask(asking: string, signal?: AbortSignal, answers?: readonly string[]) {
      if (signal?.aborted) return undefined
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      const takeBack = () => resolve(undefined)
      signal?.addEventListener('abort', takeBack, { once: true })
      asked = Object.assign(createQuestion({ text: asking, answers, onAnswer: resolve, dim }), { takeBack })
      // The text that is being typed must not become an answer.
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

const PAGE_DOWN = '\u001B[6~'
const END = '\u001B[F'
const PASTE = '\u001B[200~'
const PASTE_END = '\u001B[201~'

function queueRows(queue: MessageQueue, columns: number, dim: (text: string) => string): readonly string[] {
  const waiting = queue.waiting()
  if (waiting.length === 0) return []
  const word = queue.held() ? 'held' : 'queued'
  const rows = waiting.map((text) => truncateToWidth(`${word}: ${singleLine(text, columns)}`, columns, '…'))
  const last = waiting.length === 1 ? 'Up edits it.' : 'Up edits the last one.'
  const help = queue.held() ? `Enter sends ${waiting.length === 1 ? 'it' : 'them in this order'}. ${last}` : last
  return [...rows, truncateToWidth(help, columns, '…')].map(dim)
}

interface Question {
  readonly render: (columns: number) => readonly string[]
  /** Handles a key. Returns text that cannot be an answer and belongs in the editor. */
  readonly handle: (key: string) => string | undefined
  focused: boolean
}

interface QuestionOptions {
  readonly text: string
  /** The valid answers; any text where absent. */
  readonly answers: readonly string[] | undefined
  readonly onAnswer: (answer: string) => void
  readonly dim: (text: string) => string
}

/**
 * One key is an answer where `answers` has it, and Enter ends any other. What cannot become an answer goes to the editor, so that
 * nobody who was typing decides by accident; so does a letter that more letters follow at once.
 */
export function createQuestion({ text, answers, onAnswer, dim }: QuestionOptions): Question {
  const input = new Input({ prompt: '? ' })
  const fits = (written: string) => answers?.some((answer) => answer.startsWith(written.toLowerCase())) ?? true

  return {
    focused: true,
    render(columns) {
      input.focused = this.focused
      const asked = wrapTextWithAnsi(text.trim(), columns)
      if (!this.focused) return [...asked, dim('Press Esc to answer.')]
      return [...asked, ...input.render(columns)]
    },
    handle(key) {
      if (matchesKey(key, 'escape')) this.focused = false
      else if (matchesKey(key, 'enter')) {
        const written = input.getValue()
        if (answers === undefined || answers.includes(written.trim().toLowerCase())) onAnswer(written)
      } else {
        input.handleInput(key)
        const written = input.getValue()
        if (!fits(written)) {
          input.setValue('')
          this.focused = false
          return written
        }
        if (written.length === 1 && answers?.includes(written.toLowerCase())) {
          setImmediate(() => {
            if (input.getValue() === written) onAnswer(written)
          })
        }
      }
      return undefined
    },
  }
}

/** Replaces a tab in the editor, whose library would turn it into spaces. A noncharacter of Unicode, which text does not contain. */
const TAB = '\uFDD0'

/** Pasted text for the editor: without controls, lines ended by `\n`, tabs kept. Keys with Ctrl (`ESC [ 106 ; 5 u`) are read back. */
export function encodeForEditor(pasted: string): string {
  const decoded = pasted.replaceAll(CONTROL_KEY, (_key, code) => String.fromCodePoint(Number(code) & 0x1f))
  return stripVTControlCharacters(decoded)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(TAB, '')
    .replaceAll('\t', TAB)
}

export function decodeFromEditor(text: string): string {
  return text.replaceAll(TAB, '\t')
}

// oxlint-disable-next-line no-control-regex -- these characters are removed
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g
// oxlint-disable-next-line no-control-regex -- the escape sequence of a key
const CONTROL_KEY = /\u001B\[(6[5-9]|[78]\d|90|9[7-9]|1[01]\d|12[0-2]);5u/g

type HistorySearch = ReturnType<typeof createHistorySearch>

interface HistorySearchOptions {
  readonly history: readonly string[]
  readonly onEnd: (found: string | undefined) => void
  readonly dim: (text: string) => string
}

const MOST = 5

/** Finds messages that contain every typed word, in any case, newest first. Ctrl-R or Down selects the next older one. */
function createHistorySearch({ history, onEnd, dim }: HistorySearchOptions) {
  const input = new Input({ prompt: 'search: ' })
  input.focused = true
  const newest = [...new Set(history.toReversed())]
  let chosen = 0

  function found(): readonly string[] {
    const words = input.getValue().toLowerCase().split(/\s+/)
    return newest.filter((text) => words.every((word) => text.toLowerCase().includes(word)))
  }

  return {
    render(columns: number) {
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
    handle(key: string) {
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
