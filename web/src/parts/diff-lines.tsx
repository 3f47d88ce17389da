import type { ReactNode } from 'react'
import { exactLines } from '../../../src/context.ts'
import { LongList } from './long-text.tsx'
import { t } from '../language/language.ts'

/** A unified diff: added and removed lines differ in colour and in their sign. What could not be seen is written out. */
export function DiffLines({ diff }: { readonly diff: string }): ReactNode {
  const lines = exactLines(diff.replace(/\n$/, '')).split('\n')
  return (
    <pre
      dir="ltr"
      tabIndex={0}
      aria-label={t`Difference`}
      className="overflow-x-auto rounded-md border border-line bg-ground py-1 font-mono text-xs leading-relaxed"
    >
      <LongList
        items={lines}
        atOnce={1_000}
        draw={(line, index) => (
          <span key={index} className={`block min-w-max px-2 ${look(line)}`}>
            {line === '' ? ' ' : line}
          </span>
        )}
      />
    </pre>
  )
}

function look(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---')) return 'font-semibold'
  if (line.startsWith('+')) return 'bg-good/10 text-good'
  if (line.startsWith('-')) return 'bg-bad/10 text-bad'
  return line.startsWith('@@') ? 'text-soft' : ''
}
