import { Trash2 } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { AccessRule } from '../../../src/tool.ts'
import type { AccessStep } from '../../../src/capability.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'
import { LongList } from '../parts/long-text.tsx'
import { t } from '../language/language.ts'

interface RuleListProps {
  /** What it is called, for screen readers and above the list. */
  readonly title: string
  /** Where nothing is in the list. */
  readonly none: string
  /** A note about all entries. */
  readonly note?: string
  readonly rules: readonly AccessRule[]
  /** What the matches are: tools, or commands that were called before. */
  readonly of: 'tools' | 'commands'
  /** The step that removes the rule at this place. Absent: it cannot be removed here. */
  readonly remove: ((rule: AccessRule, index: number) => AccessStep) | undefined
  apply(steps: readonly AccessStep[]): void
}

/** Entries of one kind, and what each of them matches. */
export function RuleList({ title, none, note, rules, of, remove, apply }: RuleListProps): ReactNode {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="text-sm font-medium">{title}</h3>
      {note !== undefined && rules.length > 0 && <p className="text-sm text-soft">{note}</p>}
      {rules.length === 0 ? (
        <p className="text-sm text-soft">{none}</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line">
          <LongList
            items={rules}
            draw={(rule, index) => (
              <li key={`${index} ${rule.name}`} className="flex items-start gap-2 px-3 py-2 text-sm">
                <div className="min-w-0 flex-1">
                  <p className="font-mono break-words">{rule.name}</p>
                  {rule.settings !== undefined && rule.settings !== '' && (
                    <p className="break-words">{rule.settings}</p>
                  )}
                  <Matches rule={rule} of={of} />
                  {rule.fault !== undefined && (
                    <p className="break-words text-bad">{t`It allows nothing: ${rule.fault}.`}</p>
                  )}
                  {rule.risk !== undefined && (
                    <p className="break-words text-warn">{t`It allows more than it seems to: ${rule.risk}.`}</p>
                  )}
                </div>
                {remove && (
                  <IconButton label={t`Remove ${rule.name} from ${title}`} onClick={() => apply([remove(rule, index)])}>
                    <Trash2 size={16} aria-hidden />
                  </IconButton>
                )}
              </li>
            )}
            wrap={(more) => <li className="px-3 py-2">{more}</li>}
          />
        </ul>
      )}
    </section>
  )
}

const FEW = 8

function Matches({
  rule: { matches },
  of,
}: {
  readonly rule: AccessRule
  readonly of: 'tools' | 'commands'
}): ReactNode {
  const [all, setAll] = useState(false)
  if (matches.length === 0) {
    return (
      <p className="text-soft">
        {of === 'tools' ? t`Matches no tool that there is now.` : t`No earlier command of a model begins so.`}
      </p>
    )
  }
  const shown = all ? matches : matches.slice(0, FEW)
  return (
    <p className="break-words text-soft">
      {of === 'tools' ? t`Matches ${shown.join(', ')}` : t`Earlier commands that begin so: ${shown.join(', ')}`}
      {matches.length > shown.length && (
        <>
          {' '}
          <button type="button" className="text-accent underline" onClick={() => setAll(true)}>
            {t`and ${matches.length - shown.length} more`}
          </button>
        </>
      )}
    </p>
  )
}

export function AddRule({
  label,
  hint,
  add,
}: {
  readonly label: string
  readonly hint: string
  /** Rejects where the entry cannot be: the field then keeps what was typed. */
  add(name: string): Promise<boolean>
}): ReactNode {
  const [name, setName] = useState('')
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (name.trim() !== '' && (await add(name.trim()))) setName('')
  }
  return (
    <form className="flex items-end gap-2" onSubmit={(event) => void submit(event)}>
      <div className="min-w-0 flex-1">
        <TextField
          label={label}
          hint={hint}
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <Button type="submit" look="plain" className="mb-5" disabled={name.trim() === ''}>
        {t`Add`}
      </Button>
    </form>
  )
}
