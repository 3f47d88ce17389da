import { type ReactNode, useId } from 'react'
import type { AccessPreset, AccessStep } from '../../../src/capability.ts'
import type { AccessRule } from '../../../src/tool.ts'

const PRESETS = ['tools', 'shell', 'presets']

interface PresetListProps {
  readonly presets: readonly AccessPreset[]
  /** The presets of the policy, in their order. */
  readonly rules: readonly AccessRule[]
  /** Whether an environment variable decides. */
  readonly isOverridden: boolean
  apply(steps: readonly AccessStep[]): void
}

/** Presets of commands as a choice: what each allows, and what it does not stop. */
export function PresetList({ presets, rules, isOverridden, apply }: PresetListProps): ReactNode {
  const change = (name: string, isAllowed: boolean): void => {
    if (isAllowed) return apply([{ do: 'append', path: PRESETS, value: name }])
    const places = rules.flatMap((rule, index) => (rule.name === name ? [index] : []))
    // From the end, so that the places before stay what they are.
    apply(places.toReversed().map((index) => ({ do: 'remove', path: [...PRESETS, index] })))
  }
  return (
    <section aria-label="Presets" className="flex flex-col gap-1">
      <h3 className="text-sm font-medium">Presets</h3>
      <p className="text-sm text-soft">
        A preset names the arguments that its commands may have. Paths among them have to be in the workspace.
      </p>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {presets.map((preset) => (
          <PresetRow
            key={preset.name}
            preset={preset}
            matches={rules.find(({ name }) => name === preset.name)?.matches ?? []}
            isFixed={isOverridden}
            change={(isAllowed) => change(preset.name, isAllowed)}
          />
        ))}
      </ul>
    </section>
  )
}

const FEW = 5

function PresetRow({
  preset: { name, allows, leaves, commands, isAllowed },
  matches,
  isFixed,
  change,
}: {
  readonly preset: AccessPreset
  readonly matches: readonly string[]
  readonly isFixed: boolean
  change(isAllowed: boolean): void
}): ReactNode {
  const id = useId()
  return (
    <li className="flex items-start gap-2 px-3 py-2 text-sm">
      <input
        id={id}
        type="checkbox"
        className="mt-1 accent-accent"
        checked={isAllowed}
        disabled={isFixed}
        aria-describedby={`${id}-allows`}
        onChange={({ target }) => change(target.checked)}
      />
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="font-mono break-words">
          {name}
        </label>
        <p id={`${id}-allows`} className="break-words">
          {allows}
        </p>
        <p className="break-words text-soft">{`What it does not stop: ${leaves}`}</p>
        <details>
          <summary className="cursor-pointer text-soft">{`${commands.length} commands`}</summary>
          <p className="font-mono break-words">{commands.join(', ')}</p>
        </details>
        {matches.length > 0 && (
          <p className="break-words text-soft">
            {`Earlier commands that it allows: ${matches.slice(0, FEW).join(', ')}${matches.length > FEW ? ` and ${matches.length - FEW} more` : ''}`}
          </p>
        )}
      </div>
    </li>
  )
}
