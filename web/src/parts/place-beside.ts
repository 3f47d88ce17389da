/** The edge of a button that a window keeps to. */
export type Align = 'start' | 'center' | 'end'

/** Between a window and the edge of the page, px. */
const EDGE = 8
/** The most of the height of the page that a window takes. */
const MOST = 0.6

/**
 * Puts a `position: fixed` element below a button, or above it where there is not enough room below and more above. It stays
 * inside the page, and what does not fit scrolls in it. `gap` is the distance to the button, px.
 */
export function placeBeside(
  element: HTMLElement,
  button: Element,
  { align, gap }: { align: Align; gap: number },
): void {
  const { clientWidth: width, clientHeight: height } = document.documentElement
  const { top, bottom, left, right } = button.getBoundingClientRect()
  const { offsetWidth, offsetHeight, clientHeight, scrollHeight, style } = element
  const wanted = Math.min(scrollHeight + offsetHeight - clientHeight, height * MOST)
  const [above, below] = [top - gap - EDGE, height - bottom - gap - EDGE]
  const isBelow = wanted <= below || below >= above
  style.top = isBelow ? `${bottom + gap}px` : 'auto'
  style.bottom = isBelow ? 'auto' : `${height - top + gap}px`
  style.maxHeight = `${Math.min(height * MOST, isBelow ? below : above)}px`
  const x = { start: left, center: (left + right - offsetWidth) / 2, end: right - offsetWidth }[align]
  style.left = `${Math.max(EDGE, Math.min(x, width - offsetWidth - EDGE))}px`
}
