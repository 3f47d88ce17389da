import { type ReactNode, useId, useState } from 'react'
import type { AccessPolicy, AccessPreset, AccessStep } from '../../../src/capability.ts'
import type { ApiError } from '../api/client.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Select } from '../parts/fields.tsx'
import type { AccessDraft } from './access-draft.ts'
import { AddRule, RuleList } from './access-rules.tsx'
import type { AccessRule } from '../../../src/tool.ts'
import { t, translated } from '../language/language.ts'

const PREFIXES = ['tools', 'shell', 'allowedPrefixes']

function scopeText({ enabled, mode }: AccessPolicy): string {
  if (!enabled || mode === 'off') return t`no tools`
  return mode === 'full' ? t`all tools that are not denied by name` : t`only tools that you allowed by name`
}

/** The entries of the policy as a form. Every change goes into the draft. */
export function AccessForm({ draft }: { readonly draft: AccessDraft }): ReactNode {
  const [error, setError] = useState<ApiError>()
  const { preview } = draft
  const apply = async (...steps: readonly AccessStep[]): Promise<boolean> => {
    setError(undefined)
    try {
      await draft.apply(steps)
      return true
    } catch (failure) {
      setError(failure as ApiError)
      return false
    }
  }
  if (preview?.policy === undefined) {
    return <p className="text-sm text-soft">{t`The form appears once the file below can be read.`}</p>
  }
  const { rules, policy, presets, overrides } = preview
  const ofKind = (kind: string) => rules.filter(({ rule }) => rule === kind)
  const shellIsOverridden = overrides.includes('SHELL_TOOL_ALLOWED_PREFIXES')
  const set = (path: readonly string[], value: unknown) => void apply({ do: 'set', path, value })
  return (
    <div className="flex flex-col gap-5">
      {error && <ErrorNote error={error} />}
      {draft.file?.inForce && (
        <p className="text-sm text-warn">
          {t`This is the file. Parts of it wait until you accept them: until then ${scopeText(draft.file.inForce)} may run.`}
        </p>
      )}
      <Select
        label={t`Tools may run`}
        value={policy.enabled ? policy.mode : 'off'}
        options={[
          { value: 'off', title: t`None` },
          { value: 'allowlist', title: t`Those that are named below, and readers of the session` },
          { value: 'full', title: t`All that are not denied by name` },
        ]}
        onChange={({ target }) =>
          void apply(
            { do: 'set', path: ['global', 'mode'], value: target.value },
            ...(policy.enabled ? [] : [{ do: 'set', path: ['global', 'enabled'], value: true } as const]),
          )
        }
      />
      <RuleList
        title={t`Allowed tools`}
        none={t`No tool is allowed by name.`}
        rules={ofKind('global.allowedTools')}
        of="tools"
        remove={(_, index) => ({ do: 'remove', path: ['global', 'allowedTools', index] })}
        apply={(steps) => void apply(...steps)}
      />
      <AddRule
        label={t`Allow another name or pattern`}
        hint={t`read_* means every tool whose name begins with read_, also those that are added later.`}
        add={(name) => apply({ do: 'allow', name })}
      />
      <RuleList
        title={t`Settings of single tools`}
        none={t`No tool has settings of its own.`}
        rules={rules.filter(({ rule, name }) => rule === `tools.${name}`)}
        of="tools"
        remove={({ name }) => ({ do: 'remove', path: ['tools', name] })}
        apply={(steps) => void apply(...steps)}
      />
      <fieldset className="flex flex-col gap-4 rounded-lg border border-line p-3">
        <legend className="px-1 text-sm font-semibold">{t`Commands (shell)`}</legend>
        {overrides.length > 0 && (
          <p className="text-sm text-warn">{t`Environment variables override the file: ${overrides.join(', ')}.`}</p>
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <Select
            label={t`Commands may run`}
            value={policy.shell.enabled ? policy.shell.mode : 'off'}
            options={[
              { value: 'off', title: t`None` },
              { value: 'allowlist', title: t`Those that a preset or a prefix allows` },
              { value: 'full', title: t`Any command, through a shell` },
            ]}
            onChange={({ target }) =>
              void apply(
                { do: 'set', path: ['tools', 'shell', 'mode'], value: target.value },
                ...(target.value === 'off' ? [] : [{ do: 'allow', name: 'shell' } as const]),
              )
            }
          />
          <Select
            label={t`Each command`}
            value={policy.shell.approval}
            options={[
              { value: 'ask', title: t`needs your approval` },
              { value: 'never', title: t`runs without asking` },
            ]}
            onChange={({ target }) => set(['tools', 'shell', 'approval'], target.value)}
          />
        </div>
        <Select
          label={t`Folders`}
          value={String(policy.shell.allowAnyCwd)}
          options={[
            { value: 'false', title: t`The workspace only` },
            { value: 'true', title: t`Any folder` },
          ]}
          onChange={({ target }) => set(['tools', 'shell', 'allowAnyCwd'], target.value === 'true')}
        />
        <PresetList
          presets={presets}
          rules={ofKind('tools.shell.presets')}
          isOverridden={overrides.includes('SHELL_TOOL_PRESETS')}
          apply={(steps) => void apply(...steps)}
        />
        <RuleList
          title={t`Allowed prefixes`}
          none={t`No prefix is allowed.`}
          note={t`Any argument may follow a prefix, also one that you did not mean. A preset knows its arguments.`}
          rules={ofKind('tools.shell.allowedPrefixes')}
          of="commands"
          remove={shellIsOverridden ? undefined : (_, index) => ({ do: 'remove', path: [...PREFIXES, index] })}
          apply={(steps) => void apply(...steps)}
        />
        {!shellIsOverridden && (
          <AddRule
            label={t`Allow commands that begin with`}
            hint={t`git log allows git log -5, but not git stash. Every argument may follow.`}
            add={(value) => apply({ do: 'append', path: PREFIXES, value })}
          />
        )}
      </fieldset>
    </div>
  )
}

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
function PresetList({ presets, rules, isOverridden, apply }: PresetListProps): ReactNode {
  const change = (name: string, isAllowed: boolean): void => {
    if (isAllowed) return apply([{ do: 'append', path: PRESETS, value: name }])
    const places = rules.flatMap((rule, index) => (rule.name === name ? [index] : []))
    // From the end, so that the places before stay what they are.
    apply(places.toReversed().map((index) => ({ do: 'remove', path: [...PRESETS, index] })))
  }
  return (
    <section aria-label={t`Presets`} className="flex flex-col gap-1">
      <h3 className="text-sm font-medium">{t`Presets`}</h3>
      <p className="text-sm text-soft">
        {t`A preset names the arguments that its commands may have. Their paths have to be in the workspace.`}
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
          {translated(allows)}
        </p>
        <p className="break-words text-soft">{t`What it does not stop: ${translated(leaves)}`}</p>
        <details>
          <summary className="cursor-pointer text-soft">{t`${commands.length} commands`}</summary>
          <p className="font-mono break-words">{commands.join(', ')}</p>
        </details>
        {matches.length > 0 && (
          <p className="break-words text-soft">
            {matches.length > FEW
              ? t`Earlier commands that it allows: ${matches.slice(0, FEW).join(', ')} and ${matches.length - FEW} more`
              : t`Earlier commands that it allows: ${matches.join(', ')}`}
          </p>
        )}
      </div>
    </li>
  )
}
