import type { ReactNode } from 'react'
import { translated } from '../language/language.ts'

/** A sentence of the gateway: what stands between backticks, such as a command, is drawn as code. */
export function Words({ children }: { readonly children: string }): ReactNode {
  return translated(children)
    .split(/`([^`]+)`/)
    .map((part, index) =>
      index % 2 === 1 ? (
        <code key={index} dir="ltr" className="rounded bg-sunken px-1 font-mono text-[0.95em] text-ink">
          {part}
        </code>
      ) : (
        part
      ),
    )
}
