import { StdinBuffer, type Terminal } from '@earendil-works/pi-tui'
import xterm from '@xterm/headless'

/** A terminal without a screen: what a program writes is drawn as xterm draws it, and keys are typed into it. */
export interface VirtualTerminal extends Terminal {
  /** Types keys, as a terminal sends them. */
  readonly type: (keys: string) => void
  /** As a terminal does that marks what is pasted. */
  readonly paste: (text: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** Resolves with what is seen, without blanks at the ends of lines, once it fits. Everything that was ever said counts with `scrollback`. */
  readonly until: (pattern: RegExp, options?: { readonly scrollback?: boolean }) => Promise<string>
  /** Every byte that was written. */
  readonly written: () => string
}

export function virtualTerminal(columns: number, rows = 24): VirtualTerminal {
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true })
  const keys = new StdinBuffer({ escapeTimeout: 1 })
  let input: (data: string) => void = () => {}
  let resized: () => void = () => {}
  let written = ''
  let drawn = Promise.withResolvers<void>()
  keys.on('data', (key) => input(key))
  keys.on('paste', (text) => input(`\u001B[200~${text}\u001B[201~`))

  function seen(scrollback: boolean): string {
    const { active } = screen.buffer
    const lines: string[] = []
    for (let row = scrollback ? 0 : active.baseY; row < active.length; row++) {
      const line = active.getLine(row)
      const text = line?.translateToString(true) ?? ''
      if (scrollback && line?.isWrapped) lines.push(`${lines.pop() ?? ''}${text}`)
      else lines.push(text)
    }
    return lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
  }

  const terminal: VirtualTerminal = {
    start(onInput, onResize) {
      input = onInput
      resized = onResize
      terminal.write('\u001B[?2004h')
    },
    stop: () => terminal.write('\u001B[?2004l'),
    drainInput: () => Promise.resolve(),
    write(data) {
      written += data
      screen.write(data, () => {
        drawn.resolve()
        drawn = Promise.withResolvers()
      })
    },
    get columns() {
      return screen.cols
    },
    get rows() {
      return screen.rows
    },
    kittyProtocolActive: false,
    moveBy() {},
    hideCursor: () => terminal.write('\u001B[?25l'),
    showCursor: () => terminal.write('\u001B[?25h'),
    clearLine() {},
    clearFromCursor() {},
    clearScreen() {},
    setTitle() {},
    setProgress() {},
    type: (typed) => keys.process(typed),
    paste: (text) => keys.process(`\u001B[200~${text}\u001B[201~`),
    resize(newColumns, newRows) {
      screen.resize(newColumns, newRows)
      resized()
    },
    async until(pattern, { scrollback = false } = {}) {
      for (;;) {
        const next = drawn.promise
        const text = seen(scrollback)
        if (pattern.test(text)) return text
        await next
      }
    },
    written: () => written,
  }
  return terminal
}
