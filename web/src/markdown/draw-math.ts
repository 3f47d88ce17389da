import { render } from 'katex'

/**
 * Draws a formula into an element as MathML nodes. Throws where the TeX cannot be read. Commands that would load something,
 * or add a link, a class or a style, are not trusted.
 */
export function drawMath(place: HTMLElement, tex: string, display: boolean): void {
  render(tex, place, {
    output: 'mathml',
    displayMode: display,
    throwOnError: true,
    strict: 'ignore',
    trust: false,
    maxExpand: 200,
    maxSize: 20,
  })
}
