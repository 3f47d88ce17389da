import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { exactLine } from '../../../src/context.ts'
import { Fold } from './fold.tsx'

interface CallFoldProps {
  readonly name: string
  readonly input: unknown
  readonly className?: string
  /** Behind the name and the input, in the line that is always seen. */
  readonly word?: ReactNode
  readonly children: ReactNode
}

/** The call of a tool in one line, and what is below it. */
export function CallFold({ name, input, className = '', word, children }: CallFoldProps): ReactNode {
  return (
    <Fold
      className={`group ${className}`}
      summaryClassName="flex min-w-0 items-center gap-2 px-3 py-2"
      summary={
        <>
          <ChevronRight
            size={14}
            aria-hidden
            className="shrink-0 text-soft transition-transform group-open:rotate-90"
          />
          <code className="shrink-0 font-mono font-medium">{name}</code>
          <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft" dir="ltr">
            {exactLine(JSON.stringify(input)?.slice(0, 300) ?? '')}
          </span>
          {word}
        </>
      }
    >
      {children}
    </Fold>
  )
}
