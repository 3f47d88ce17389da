import { type ReactNode, useMemo, useState } from 'react'
import { type CallFigures, calibratedTokens, type Comparison, type Manifest } from '../../../src/context.ts'
import { useResource } from '../api/resources.ts'
import { useScenario } from './call-scenario.ts'
import { entryTitle, formWords } from './entry-words.ts'
import { useForeignParts } from './foreign-parts.ts'
import { inOneLine, useAllCalls } from './previous-call.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select } from '../parts/fields.tsx'
import { clockTime, count } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import type { Inspected } from './inspected.ts'
import { textsOf } from './share-texts.ts'
import { conversationTitles } from './share-titles.ts'
import { useAssembly } from './what-if-assembler.ts'
import { Figure } from './figure.tsx'
import { kindColor, kindTitles } from './bar-segments.ts'
import { TextDifference } from './compare-text.tsx'
import { t, translated } from '../language/language.ts'
import { rich } from '../language/rich.ts'

/** Two calls of a session side by side: how much of their beginning is the same, where it ends, and why. */
export default function ComparePanel({ session, call, next, program }: Inspected): ReactNode {
  const data = useAllCalls(session)
  const calls = data ?? []
  const [chosen, setChosen] = useState<{ readonly before?: string; readonly after?: string }>({})
  const after = chosen.after ?? call ?? calls.at(-1)?.id
  const later = calls.find(({ id }) => id === after)
  const line = inOneLine(calls, after)
  const before = chosen.before ?? line[line.findIndex(({ id }) => id === after) - 1]?.id
  if (session === undefined || (data && calls.length < 2)) {
    return <p className="text-sm text-soft">{t`You can compare calls here once a session has made two of them.`}</p>
  }
  if (data === undefined) return <Spinner />
  const options = calls.map((one, index) => ({
    value: one.id,
    title: `${index + 1} · ${clockTime(one.time)} · ${t`${one.figures.total} tokens`}`,
  }))
  return (
    <div className="flex flex-col gap-3">
      <Select
        label={t`Earlier call`}
        value={before ?? ''}
        options={before === undefined ? [{ value: '', title: t`Choose a call` }, ...options] : options}
        onChange={({ target }) => setChosen({ ...chosen, before: target.value })}
      />
      <Select
        label={t`Later call`}
        value={after ?? ''}
        options={options}
        onChange={({ target }) => setChosen({ ...chosen, after: target.value })}
      />
      {before !== undefined && later !== undefined && (
        <TwoCalls next={next} program={program} before={before} after={later.id} figures={later.figures} />
      )}
    </div>
  )
}

interface TwoCallsProps extends Pick<Inspected, 'next' | 'program'> {
  readonly before: string
  readonly after: string
  /** Of the later call. */
  readonly figures: CallFigures
}

function TwoCalls({ next, program, before, after, figures }: TwoCallsProps): ReactNode {
  const question = (call: string) => (program ? undefined : { next, call })
  const [first, second] = [useScenario(question(before)), useScenario(question(after))]
  const own = [useAssembly(first.data).assembled, useAssembly(second.data).assembled]
  const parts = [useForeignParts(program && before), useForeignParts(program && after)]
  const [old, now] = program ? parts.map(({ assembled }) => assembled) : own
  // By meaning, as the gateway tells it: what a program says for its bill, or a mark that moves, is no difference.
  const query = new URLSearchParams({ before, after }).toString()
  const meant = useResource<Comparison>(`/api/diff?${query}`, { revalidateOnFocus: false })
  const compared = useMemo(() => {
    const comparison = meant.data
    if (!old || !now || !comparison) return undefined
    const [oldTexts, newTexts] = [textsOf(old), textsOf(now)]
    return {
      comparison,
      cause: translated(comparison.why ?? ''),
      oldTexts,
      newTexts,
      old: old.manifest,
      now: now.manifest,
    }
  }, [old, now, meant.data])
  const error = first.error ?? second.error ?? parts[0]!.error ?? parts[1]!.error ?? meant.error
  if (error) return <ErrorNote error={error} />
  if (compared === undefined) return <Spinner />
  const { comparison, cause, oldTexts, newTexts } = compared
  const titles = new Map([
    ...[compared.old, compared.now].flatMap(entryTitles),
    ...[first.data, second.data].flatMap((scenario) => (scenario ? [...conversationTitles(scenario)] : [])),
  ])
  const { commonPrefix, firstDifference } = comparison
  const { total } = figures
  const text = (id: string, entries: typeof compared.old.entries, texts: ReadonlyMap<string, string>): string =>
    entries.flatMap((entry) => (entry.id === id ? (texts.get(`${entry.layer} ${entry.id}`) ?? []) : [])).join('\n\n')
  return (
    <section aria-label={t`Comparison`} className="flex flex-col gap-2 text-sm">
      <p className="font-medium">{cause}</p>
      <p className="text-soft tabular-nums">
        {rich`The first ${calibratedTokens(commonPrefix.tokens, total, compared.now.used)} of ${(
          <Figure kind="total" call={after} value={total}>
            {count(total)}
          </Figure>
        )} tokens are the same.`}{' '}
        {firstDifference !== undefined &&
          t`The first difference is in ${titles.get(firstDifference.id) ?? firstDifference.id}.`}
      </p>
      <CompareList
        comparison={comparison}
        titles={titles}
        text={(id) => ({
          before: text(id, compared.old.entries, oldTexts),
          after: text(id, compared.now.entries, newTexts),
        })}
      />
    </section>
  )
}

/** Titles of the entries of a call of another program, by their ids. */
function entryTitles(manifest: Manifest): readonly (readonly [string, string])[] {
  return manifest.entries.map((entry) => {
    const [, turn] = /^turn-(\d+)\//.exec(entry.id) ?? []
    const title = entryTitle(entry, manifest)
    return [entry.id, turn === undefined ? title : t`${title}, turn ${turn}`] as const
  })
}

interface CompareListProps {
  readonly comparison: Comparison
  /** The text of a candidate in the earlier and in the later call; empty where it was not sent. */
  text(id: string, slot: Slot): { readonly before: string; readonly after: string }
  /** What people call a candidate, by its id. */
  readonly titles: ReadonlyMap<string, string>
}

type Slot = Comparison['came'][number]['slot']

interface Change {
  readonly id: string
  readonly slot: Slot
  readonly what: string
  /** The codes of the forms. */
  readonly codes?: string
}

function movedWords(from: Slot, slot: Slot): string {
  // The message of the call before, with its answer.
  if (from === 'input' && slot === 'history') return t`part of the conversation now`
  return from === slot ? t`moved` : t`moved from ${kindTitles[from]}`
}

/** Every candidate that is not as it was; each opens to its text with the difference. */
function CompareList({ comparison, text, titles }: CompareListProps): ReactNode {
  const { came, went, moved, changedForm, changedContent } = comparison
  const all: readonly Change[] = [
    ...came.map((one) => ({ ...one, what: t`came` })),
    ...went.map((one) => ({ ...one, what: t`went` })),
    ...moved.map(({ from, ...one }) => ({
      ...one,
      what: movedWords(from, one.slot),
    })),
    ...changedForm.map(({ from, to, ...one }) => ({
      ...one,
      what: `${formWords(from || 'full')} → ${formWords(to || 'full')}`,
      codes: `${from || 'full'} → ${to || 'full'}`,
    })),
    ...changedContent.map((one) => ({ ...one, what: t`other text` })),
  ]
  const changes = oncePerEntry(all)
  if (changes.length === 0) return <p className="text-sm text-soft">{t`Nothing came, went, moved or changed.`}</p>
  return (
    <ul aria-label={t`What changed`} className="divide-y divide-line text-sm">
      {changes.map((change) => (
        <li key={`${change.slot} ${change.id}`}>
          <ChangedEntry {...change} text={text} title={titles.get(change.id) ?? change.id} />
        </li>
      ))}
    </ul>
  )
}

/** A candidate that moved and changed is one line. */
function oncePerEntry(changes: readonly Change[]): readonly Change[] {
  const byEntry = new Map<string, Change>()
  for (const change of changes) {
    const key = `${change.slot} ${change.id}`
    const before = byEntry.get(key)
    byEntry.set(key, before ? { ...before, ...change, what: `${before.what}, ${change.what}` } : change)
  }
  return [...byEntry.values()]
}

type ChangedEntryProps = Change & Pick<CompareListProps, 'text'> & { readonly title: string }

function ChangedEntry({ id, slot, what, codes, text, title }: ChangedEntryProps): ReactNode {
  const [open, setOpen] = useState(false)
  return (
    <details className="py-1" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-2">
        <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: kindColor(slot) }} />
        <span className="min-w-3/5 flex-1 truncate" title={`${id} (${kindTitles[slot]})`}>
          {title}
        </span>
        <span className="ms-auto text-xs text-soft" title={codes}>
          {what}
        </span>
      </summary>
      {open && <TextDifference {...text(id, slot)} />}
    </details>
  )
}
