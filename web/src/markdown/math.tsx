import { type ReactNode, useEffect, useRef, useState } from 'react'
import { underway } from '../api/underway.ts'
import type { MathToken } from './math-syntax.ts'

/** A formula, drawn by the browser from MathML. It is its TeX until the reader of TeX is there, and where that cannot read it. */
export function Formula({ tex, display }: Pick<MathToken, 'tex' | 'display'>): ReactNode {
  const place = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState<string>()
  useEffect(() => {
    let current = true
    const draw = async (): Promise<void> => {
      const { drawMath } = await import('./draw-math.ts')
      if (!current || place.current === null) return
      drawMath(place.current, tex, display)
      setDrawn(tex)
    }
    underway(draw()).catch(() => current && setDrawn(undefined))
    return () => {
      current = false
    }
  }, [tex, display])
  const isDrawn = drawn === tex
  return (
    <span
      dir="ltr"
      className={display ? 'my-2 block overflow-x-auto text-center' : ''}
      {...(display ? { tabIndex: 0, role: 'math', 'aria-label': tex } : {})}
    >
      {!isDrawn && <code>{tex}</code>}
      <span ref={place} hidden={!isDrawn} />
    </span>
  )
}
