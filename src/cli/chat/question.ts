import { Input, matchesKey, wrapTextWithAnsi } from '@earendil-works/pi-tui'

/** A question that stands above the editor. */
export interface Question {
  readonly render: (columns: number) => readonly string[]
  /** Takes a key. Answers what turned out to be no answer: the beginning of a message, which belongs into the editor. */
  readonly handle: (key: string) => string | undefined
  /** Whether keys come here, or to the editor. */
  focused: boolean
}

export interface QuestionOptions {
  readonly text: string
  /** The only answers there are; any text where absent. */
  readonly answers: readonly string[] | undefined
  readonly onAnswer: (answer: string) => void
  readonly dim: (text: string) => string
}

/**
 * An answer needs Enter behind it, and what cannot become one of the `answers` is not one: who was just typing a message
 * when the question came neither decides by accident nor loses a letter.
 */
export function question({ text, answers, onAnswer, dim }: QuestionOptions): Question {
  const input = new Input({ prompt: '? ' })
  const fits = (written: string) => answers?.some((answer) => answer.startsWith(written.toLowerCase())) ?? true

  return {
    focused: true,
    render(columns) {
      input.focused = this.focused
      const asked = wrapTextWithAnsi(text.trim(), columns)
      if (!this.focused) return [...asked, dim('Esc answers it.')]
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
      }
      return undefined
    },
  }
}
