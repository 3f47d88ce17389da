import { type ReactNode, useState } from 'react'
import { t } from '../language/language.ts'

/** Drawn at once, characters: more of them in one piece would keep the page from answering. */
const AT_ONCE = 20_000

/** A text of any length: its beginning, and more of it at each click. */
export function LongText({ text, draw }: { readonly text: string; draw?(shown: string): ReactNode }): ReactNode {
  const [most, setMost] = useState(AT_ONCE)
  if (text.length <= most) return draw ? draw(text) : text
  const shown = text.slice(0, most)
  return (
    <>
      {draw ? draw(shown) : shown}
      <More onClick={() => setMost(most + AT_ONCE * 5)}>{t`… ${text.length - most} more characters`}</More>
    </>
  )
}

/** A list of any length: its beginning, and more of it at each click. */
export function LongList<Item>({
  items,
  atOnce = 300,
  draw,
  wrap = (more) => more,
}: {
  readonly items: readonly Item[]
  readonly atOnce?: number
  draw(item: Item, index: number): ReactNode
  /** Around the button, where a button may not stand in the list itself. */
  wrap?(more: ReactNode): ReactNode
}): ReactNode {
  const [most, setMost] = useState(atOnce)
  const rest = items.length - most
  return (
    <>
      {(rest > 0 ? items.slice(0, most) : items).map(draw)}
      {rest > 0 && wrap(<More onClick={() => setMost(most + atOnce * 5)}>{t`… ${rest} more`}</More>)}
    </>
  )
}

function More({ onClick, children }: { onClick(): void; readonly children: ReactNode }): ReactNode {
  return (
    <button
      type="button"
      className="mx-1 rounded bg-sunken px-2 font-sans text-xs text-accent underline"
      onClick={onClick}
    >
      {children}
    </button>
  )
}

/** A text exactly as it is, in a box that scrolls. */
export function ExactText({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <pre
      role="region"
      aria-label={label}
      dir="auto"
      tabIndex={0}
      className="max-h-80 overflow-auto rounded border border-line bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere"
    >
      <LongText text={text} />
    </pre>
  )
}
