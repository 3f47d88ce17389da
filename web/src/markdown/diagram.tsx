import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { type Drawing, drawDiagram, keptDrawing } from './draw-diagram.ts'
import { t } from '../language/language.ts'

interface DiagramProps {
  readonly code: string
  /** In the place of the drawing until there is one, and below the reason where there is none. */
  readonly children: ReactNode
}

/** A mermaid diagram of an answer as an image, in the colours of the page. */
export default function Diagram({ code, children }: DiagramProps): ReactNode {
  const scheme = useSyncExternalStore(followScheme, () => document.documentElement.dataset['theme'] ?? 'light')
  const [drawn, setDrawn] = useState<Drawing>()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    let current = true
    setFault(undefined)
    drawDiagram(code, scheme).then(
      (drawing) => current && setDrawn(drawing),
      (error: Error) => current && setFault(error.message),
    )
    return () => {
      current = false
    }
  }, [code, scheme])
  const shown = keptDrawing(code, scheme) ?? (fault === undefined ? drawn : undefined)
  if (shown === undefined) {
    return (
      <>
        {fault !== undefined && (
          <p role="status" className="px-3 pt-2 text-sm text-warn">{t`This diagram cannot be drawn: ${fault}`}</p>
        )}
        {children}
      </>
    )
  }
  const { svg, width, height, title } = shown
  return (
    <div className="overflow-x-auto bg-raised p-3" tabIndex={0} role="region" aria-label={t`Diagram`}>
      <img
        src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`}
        alt={title === '' ? t`Diagram. Its text is behind “Code”.` : title}
        width={width}
        height={height}
        // A wide one is made smaller as long as its words can be read, and scrolls from there on.
        style={{ maxWidth: `max(100%, ${Math.round(width * LEAST_SCALE)}px)` }}
        className="mx-auto h-auto"
      />
    </div>
  )
}

const LEAST_SCALE = 0.65

function followScheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
