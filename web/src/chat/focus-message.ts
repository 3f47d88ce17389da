/** Puts the focus into the field for the next message. */
export function focusMessage(): void {
  document.querySelector<HTMLElement>('#message')?.focus()
}

/** The same where nothing has the focus: what had it is gone, or the page has just been opened. */
export function keepFocus(): void {
  requestAnimationFrame(() => {
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body) focusMessage()
  })
}
