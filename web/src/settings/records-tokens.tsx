import type { ReactNode } from 'react'
import { tokenx } from '../../../src/context.ts'
import { count } from '../parts/numbers.ts'
import { useLate } from '../parts/use-late.ts'

/** What a field is for, and about how many tokens its text adds to each request. */
export function TokenHint({ text, children }: { readonly text: string; readonly children: string }): ReactNode {
  const late = useLate(text, 300)
  if (late.trim() === '') return children
  return `${children} About ${count(tokenx.text(late))} tokens in each request.`
}
