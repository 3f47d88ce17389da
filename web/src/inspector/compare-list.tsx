import { type ReactNode, useState } from 'react'
import { type Comparison, formPhrase } from '../../../src/context.ts'
import { slotTitles } from './bar-segments.ts'
import { TextDifference } from './compare-text.tsx'

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

/** Every candidate that is not as it was; each opens to its text with the difference. */
export function CompareList({ comparison, text, titles }: CompareListProps): ReactNode {
  const { came, went, moved, changedForm, changedContent } = comparison
  const all: readonly Change[] = [
    ...came.map((one) => ({ ...one, what: 'came' })),
    ...went.map((one) => ({ ...one, what: 'went' })),
    ...moved.map(({ from, ...one }) => ({
      ...one,
      what: from === one.slot ? 'moved' : `moved from ${slotTitles[from]}`,
    })),
    ...changedForm.map(({ from, to, ...one }) => ({
      ...one,
      what: `${formPhrase(from || 'full')} → ${formPhrase(to || 'full')}`,
      codes: `${from || 'full'} → ${to || 'full'}`,
    })),
    ...changedContent.map((one) => ({ ...one, what: 'other text' })),
  ]
  const changes = oncePerEntry(all)
  if (changes.length === 0) return <p className="text-sm text-soft">Nothing came, went, moved or changed.</p>
  return (
    <ul aria-label="What changed" className="divide-y divide-line text-sm">
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
      <summary className="flex cursor-pointer items-baseline gap-2">
        <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: `var(--slot-${slot})` }} />
        <span className="min-w-0 flex-1 truncate" title={`${id} (${slotTitles[slot]})`}>
          {title}
        </span>
        <span className="shrink-0 text-xs text-soft" title={codes}>
          {what}
        </span>
      </summary>
      {open && <TextDifference {...text(id, slot)} />}
    </details>
  )
}
