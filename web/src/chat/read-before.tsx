import type { ReactNode } from 'react'
import { type ForeignText, foreignTextNames } from '../../../src/context.ts'
import type { CitationSource } from '../../../src/session.ts'
import { callSubject } from '../parts/call-fold.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongText } from '../parts/long-text.tsx'
import { SourceList } from './source-list.tsx'
import type { ToolPart } from '../log/turn-parts.ts'
import { t } from '../language/language.ts'

export interface WhatWasRead {
  readonly sources: readonly CitationSource[]
  /** Calls whose results it had. */
  readonly results: readonly ToolPart[]
}

export function hasRead({ sources, results }: WhatWasRead): boolean {
  return sources.length > 0 || results.length > 0
}

/** Texts of others that the model had read, by name: files and pages of earlier turns too, where they were still in the request. */
export function ForeignTexts({ texts }: { readonly texts: readonly ForeignText[] }): ReactNode {
  if (texts.length === 0) return null
  return (
    <div className="text-sm">
      <p className="text-warn">{t`This call was asked for after the model read texts of others:`}</p>
      <ul
        className="mt-1 max-h-[12dvh] list-disc overflow-y-auto pl-5 text-xs break-words"
        tabIndex={0}
        aria-label={t`Texts of others that were read`}
      >
        {foreignTextNames(texts).map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </div>
  )
}

/** What the model had read before it asked: what it asks for may come from there. */
export function ReadBefore({ read }: { readonly read: WhatWasRead }): ReactNode {
  const { sources, results } = read
  if (!hasRead(read)) {
    return <p className="text-xs text-soft">{t`In this turn the model had read nothing but your message.`}</p>
  }
  return (
    <Fold
      className="text-xs"
      summaryClassName="text-soft"
      summary={t`What the model had read in this turn before (${sources.length + results.length})`}
    >
      <div className="mt-2 flex flex-col gap-2">
        <SourceList sources={sources} />
        {results.map(({ toolCallId, name, input, result = '' }) => (
          <Fold
            key={toolCallId}
            className="rounded-md border border-line px-2 py-1"
            summaryClassName="truncate"
            summary={
              <>
                <code className="font-mono">{name}</code> {callSubject(input)}
              </>
            }
          >
            <pre className="max-h-60 overflow-auto whitespace-pre-wrap" tabIndex={0}>
              <LongText text={result} />
            </pre>
          </Fold>
        ))}
      </div>
    </Fold>
  )
}
