import { type ReactNode, useEffect } from 'react'

/**
 * Whether the page has nothing to do: `data-idle` of the document is `true` while nothing that was begun here is under way and
 * what came of it is drawn. Waiting for a person, or for a time such as the next attempt, is no work.
 */
const { dataset } = document.documentElement
let open = 0
let begun = 0

/** Returns the function that ends it. */
export function begin(): () => void {
  open += 1
  begun += 1
  dataset['idle'] = 'false'
  let isOver = false
  return () => {
    if (isOver) return
    isOver = true
    open -= 1
    const last = begun
    // What came of it is rendered, and then the effects of that run: only then the browser has nothing to do.
    if (open === 0) whenDrawn(() => whenDrawn(() => open === 0 && begun === last && (dataset['idle'] = 'true')))
  }
}

export function underway<Value>(work: Promise<Value>): Promise<Value> {
  return work.finally(begin())
}

/** In the place of a part of the page whose code is being loaded. */
export function Loading({ children }: { readonly children?: ReactNode }): ReactNode {
  useEffect(begin, [])
  return children
}

/** A page in the background draws no frames, and some browsers do not say when they have nothing to do. */
function whenDrawn(then: () => void): void {
  if (document.hidden || !('requestIdleCallback' in globalThis)) setTimeout(then, 50)
  else requestAnimationFrame(() => requestIdleCallback(then))
}
