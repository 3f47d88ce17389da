import { createElement, Fragment, type ReactNode } from 'react'
import { textParts } from './language.ts'

/** As `t`, for a text that has elements in it. */
export function rich(english: TemplateStringsArray, ...values: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...textParts(english, values))
}
