import { type ReactNode, useEffect, useState } from 'react'
import { underway } from '../api/underway.ts'
import { t } from '../language/language.ts'

interface Part {
  readonly value: string
  readonly added?: boolean
  readonly removed?: boolean
}

/** Characters of both texts from which whole lines are compared: words would take seconds. */
const LONG = 20_000

/** What was taken out of a text and what came into it. The library that compares is loaded with the first one. */
export function TextDifference({ before, after }: { readonly before: string; readonly after: string }): ReactNode {
  const [parts, setParts] = useState<readonly Part[]>([])
  useEffect(() => {
    let current = true
    void underway(differenceOf(before, after)).then((made) => current && setParts(made))
    return () => {
      current = false
    }
  }, [before, after])
  return (
    <pre
      dir="auto"
      tabIndex={0}
      role="region"
      aria-label={t`Difference`}
      className="max-h-80 overflow-auto rounded border border-line bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere"
    >
      {parts.map(({ value, added, removed }, index) => {
        if (added)
          return (
            <ins key={index} className="bg-good/20 no-underline">
              {value}
            </ins>
          )
        if (removed)
          return (
            <del key={index} className="bg-bad/20">
              {value}
            </del>
          )
        return <span key={index}>{value}</span>
      })}
    </pre>
  )
}

async function differenceOf(before: string, after: string): Promise<readonly Part[]> {
  const { diffLines, diffWordsWithSpace } = await import('diff')
  return before.length + after.length > LONG ? diffLines(before, after) : diffWordsWithSpace(before, after)
}
