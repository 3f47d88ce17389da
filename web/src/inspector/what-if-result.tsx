import type { ReactNode } from 'react'
import { type CallFigures, type Manifest, reasonSentence } from '../../../src/context.ts'
import { count } from '../parts/numbers.ts'
import { entryKind, kindColor, kindTitles } from './bar-segments.ts'
import { ContextBar } from './context-bar.tsx'
import { Figure } from './figure.tsx'
import { entryTitle, formWords } from './entry-words.ts'
import { entryKey } from './share-texts.ts'
import type { Assembled } from './what-if-assembly.ts'
import { t, translated } from '../language/language.ts'
import { rich } from '../language/rich.ts'

interface ResultProps {
  readonly call: string | undefined
  /** In the tokens of the provider. */
  readonly assembled: Assembled
  readonly figures: CallFigures
  /** Those of the call without any change. */
  readonly now: CallFigures | undefined
}

interface EntriesProps extends Pick<ResultProps, 'assembled'> {
  /** The manifest without any change, in the same tokens. */
  readonly unchanged: Manifest | undefined
  /** How the messages of turns begin, by their ids. */
  readonly titles: ReadonlyMap<string, string>
}

type Entry = Manifest['entries'][number]

export function WhatIfResult({ call, assembled, figures, now }: ResultProps): ReactNode {
  const { manifest, overflow, estimated } = assembled
  return (
    <section aria-label={t`What the model would read`} className="flex flex-col gap-1">
      <ContextBar manifest={manifest} />
      <p className="text-sm tabular-nums" role="status">
        {rich`${
          figures === now ? (
            <Figure kind="total" call={call} value={figures.total}>
              {count(figures.total)}
            </Figure>
          ) : (
            figures.total
          )
        } of ${figures.window} tokens`}{' '}
        {now !== undefined && now.total !== figures.total && <span className="text-soft">{t`(now ${now.total})`}</span>}
      </p>
      {overflow !== undefined && <p className="text-sm text-bad">{overflow}</p>}
      {estimated && (
        <p className="text-sm text-warn">
          {t`The counter of this home is not part of the page. These are estimates by a faster one.`}
        </p>
      )}
    </section>
  )
}

/** What is in and what is out. What a change moved is marked. */
export function WhatIfEntries({ assembled, unchanged, titles }: EntriesProps): ReactNode {
  const { entries } = assembled.manifest
  const before = new Map(unchanged?.entries.map((entry) => [entryKey(entry), entry]))
  const list = { manifest: assembled.manifest, before, titles }
  const isIn = ({ outcome }: Entry): boolean => outcome !== 'omitted'
  return (
    <section aria-label={t`What is in and what is out`} className="flex flex-col gap-3">
      <EntryList title={t`In the request`} entries={entries.filter(isIn)} {...list} />
      <EntryList title={t`Left out`} entries={entries.filter((entry) => !isIn(entry))} {...list} />
    </section>
  )
}

interface EntryListProps extends Pick<EntriesProps, 'titles'> {
  readonly title: string
  readonly entries: readonly Entry[]
  readonly manifest: Manifest
  readonly before: ReadonlyMap<string, Entry>
}

function EntryList({ title, entries, manifest, before, titles }: EntryListProps): ReactNode {
  if (entries.length === 0) return null
  return (
    <div>
      <h3 className="text-sm font-medium">
        {title} <span className="text-soft">({entries.length})</span>
      </h3>
      <ul className="divide-y divide-line text-sm">
        {entries.map((entry) => {
          const change = changeOf(entry, before)
          const words = titles.get(entry.id)
          const name = entryTitle(entry, manifest)
          const why = entry.outcome === 'included' ? undefined : translated(reasonSentence(entry, manifest) ?? '')
          return (
            <li key={entryKey(entry)} className="flex items-baseline gap-2 py-1">
              <span
                aria-hidden
                className="size-2 shrink-0 rounded-full"
                style={{ background: kindColor(entryKind(entry)) }}
              />
              <div className="min-w-0 flex-1">
                <p className="truncate" title={`${entry.id} (${kindTitles[entryKind(entry)]})`}>
                  {words === undefined ? name : `${name}: ${words}`}
                </p>
                {why !== undefined && <p className="text-xs text-soft">{why}</p>}
              </div>
              {change !== undefined && (
                <span className="shrink-0 text-xs text-warn" title={entry.form}>
                  {change}
                </span>
              )}
              <span className="shrink-0 text-end tabular-nums text-soft">
                {entry.tokens === entry.fullTokens ? count(entry.tokens) : t`${entry.tokens} of ${entry.fullTokens}`}
              </span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function changeOf(entry: Entry, entries: ReadonlyMap<string, Entry>): string | undefined {
  if (entries.size === 0) return undefined
  const before = entries.get(entryKey(entry))
  // Turns that an earlier call cut are one entry until a change looks at each of them again.
  if (before === undefined && entry.outcome === 'omitted') return undefined
  if (before === undefined) return entry.slot === 'history' && hasCut(entries) ? t`now in` : t`new`
  if (before.outcome === entry.outcome && before.form === entry.form && before.slot === entry.slot) return undefined
  if (before.slot !== entry.slot) return t`moved`
  if (entry.outcome === 'omitted') return t`now left out`
  if (before.outcome === 'omitted') return t`now in`
  return formWords(entry.form ?? entry.outcome)
}

function hasCut(entries: ReadonlyMap<string, Entry>): boolean {
  return [...entries.values()].some(({ layer, id }) => layer === 'turn' && id === 'earlier')
}
