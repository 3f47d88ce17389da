import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { exactLine, mainInput } from '../../../src/context.ts'
import { Fold } from './fold.tsx'

interface CallFoldProps {
  readonly name: string
  readonly input: unknown
  readonly className?: string
  /** Before the name: how the call is doing. */
  readonly sign?: ReactNode
  /** At the end of the line that is always seen. */
  readonly words?: ReactNode
  readonly children: ReactNode
}

/** The call of a tool in one line, with the argument that says what it is about, and what is below it. */
export function CallFold({ name, input, className = '', sign, words, children }: CallFoldProps): ReactNode {
  return (
    <Fold
      className={`group ${className}`}
      summaryClassName="flex min-w-0 items-center gap-2 px-3 py-2"
      summary={
        <>
          {sign}
          <code className="shrink-0 font-mono text-[0.8125rem] font-medium">{name}</code>
          <span className="min-w-0 flex-1 truncate text-soft" dir="ltr">
            {callSubject(input)}
          </span>
          {words}
          <ChevronRight
            size={14}
            aria-hidden
            className="shrink-0 text-soft transition-transform group-open:rotate-90 rtl:-scale-x-100"
          />
        </>
      }
    >
      {children}
    </Fold>
  )
}

/** What a call is about, for one line; all of its input where no argument of it says that. */
export function callSubject(input: unknown): string {
  const main = mainInput(input)
  if (main !== undefined) return main.text
  const json = JSON.stringify(input) ?? ''
  return json === '{}' ? '' : exactLine(json.slice(0, 300))
}
