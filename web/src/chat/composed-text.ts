/** A text that another part of the page puts into the message field, such as a command of the palette. */
let waiting: string | undefined
const listeners = new Set<(text: string) => void>()

/** Puts a text into the message field: at once, or in the next conversation that is opened. */
export function composeText(text: string): void {
  waiting = text
  for (const listener of listeners) listener(takeText()!)
}

/** The same for the next conversation that is opened, and not for the one that is on the screen. */
export function composeNext(text: string): void {
  waiting = text
}

/** The text that waits for a message field, once. */
export function takeText(): string | undefined {
  const text = waiting
  waiting = undefined
  return text
}

/** Calls `listener` with every text from now on; returns a function that stops it. */
export function onComposedText(listener: (text: string) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
