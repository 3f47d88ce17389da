import type { AssistantMessage } from '../context.ts'
import type { ModelEvent } from '../model.ts'
import type { CallOutcome } from '../session.ts'

/** What has come of an answer so far. */
export class ResponseAccumulator {
  readonly #started: number
  #wire: CallOutcome['wire']
  #firstAt: number | undefined
  #text = ''

  /** Times are monotonic, ms. */
  constructor(started: number) {
    this.#started = started
  }

  add(event: ModelEvent, at: number): void {
    if (event.type === 'wire') {
      const { sha256, bytes, url } = event
      this.#wire = { sha256, bytes, url }
      return
    }
    if (event.type === 'finish') return
    this.#firstAt ??= at
    if (event.type === 'text-delta') this.#text += event.text
  }

  /** Whether anything of an answer has come: such a call is not made again. */
  get begun(): boolean {
    return this.#firstAt !== undefined
  }

  /** The account of the call so far, with `rest`. */
  outcome(now: number, rest: Partial<CallOutcome>): CallOutcome {
    return {
      ...(this.#wire ? { wire: this.#wire } : {}),
      ...(this.#firstAt === undefined ? {} : { firstTokenMs: Math.round(this.#firstAt - this.#started) }),
      durationMs: Math.round(now - this.#started),
      ...rest,
    }
  }

  /** What was said before the call broke off: its text. Half a tool call and half a thought are of no use to anyone. */
  partial(): AssistantMessage | undefined {
    return this.#text === '' ? undefined : { role: 'assistant', content: this.#text }
  }
}
