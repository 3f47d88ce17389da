import type { ReactNode } from 'react'
import { translated } from '../language/language.ts'

interface TextProps {
  readonly children: string
}

/** A sentence of the gateway, which sends it in English. */
export function Words({ children }: TextProps): ReactNode {
  return <WithCode>{translated(children)}</WithCode>
}

/** A text of which what stands between backticks, such as a command, is drawn as code. */
export function WithCode({ children }: TextProps): ReactNode {
  return children.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 1 ? (
      <code key={index} dir="ltr" className="rounded bg-sunken px-1 font-mono text-[0.95em] text-ink">
        {part}
      </code>
    ) : (
      part
    ),
  )
}
