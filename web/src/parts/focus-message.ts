/** Puts the focus into the field for the next message; on a page without one, at its beginning. */
export function focusMessage(): void {
  const field = document.querySelector<HTMLElement>('#message') ?? document.querySelector<HTMLElement>('#main')
  field?.focus()
}

/** The same where nothing has the focus: what had it is gone, or the page has just been opened. */
export function keepFocus(): void {
  requestAnimationFrame(() => {
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body) focusMessage()
  })
}
