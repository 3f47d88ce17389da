import { type ReactNode, useState } from 'react'
import type { AccessStep, ToolStatus } from '../../../src/capability.ts'
import type { ApiError } from '../api/client.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import type { AccessDraft } from './access-draft.ts'
import { untrustedTitles } from './access-words.ts'

type Decided = NonNullable<ToolStatus['afterUntrusted']>
type Value = Decided['value']

interface AfterUntrustedProps {
  readonly tool: ToolStatus
  /** What the policy sets, with the change that is not saved; absent where the tool decides. */
  readonly set: Value | undefined
  readonly draft: AccessDraft
}

/** What happens to a call of a tool once the model has read texts of others, for a person who changes it. */
export function AfterUntrusted({ tool, set, draft }: AfterUntrustedProps): ReactNode {
  const { name, afterUntrusted } = tool
  const [error, setError] = useState<ApiError>()
  const choose = async (wanted: string): Promise<void> => {
    setError(undefined)
    const path = ['tools', name, 'afterUntrusted']
    const step: AccessStep = wanted === '' ? { do: 'remove', path } : { do: 'set', path, value: wanted }
    try {
      await draft.apply([step])
    } catch (failure) {
      setError(failure as ApiError)
    }
  }
  const own = afterUntrusted?.own ?? 'ask'
  return (
    <div className="flex flex-col gap-1">
      <label className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-xs text-soft">
        <span className="min-w-0 flex-1">
          {afterUntrusted?.addresses
            ? 'An address that nobody named, after texts of others:'
            : 'A call after texts of others:'}
        </span>
        <select
          aria-label={`${name} after texts of others`}
          value={set ?? ''}
          onChange={({ target }) => void choose(target.value)}
          className="rounded-lg border border-strong-line bg-ground px-2 py-1 text-ink"
        >
          <option value="">{`${untrustedTitles[own]} (the tool decides)`}</option>
          {(['ask', 'refuse', 'allow'] as const).map((each) => (
            <option key={each} value={each}>
              {untrustedTitles[each]}
            </option>
          ))}
        </select>
      </label>
      {error && <ErrorNote error={error} />}
    </div>
  )
}

export function setValue({ afterUntrusted }: ToolStatus): Value | undefined {
  return afterUntrusted?.rule === undefined ? undefined : afterUntrusted.value
}
