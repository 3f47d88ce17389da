import type { ReactNode } from 'react'
import { exactLine } from '../../../src/context.ts'
import { Fold } from '../parts/fold.tsx'
import { LongList } from '../parts/long-text.tsx'
import { count } from '../parts/numbers.ts'
import { SkillDetail } from './skills-detail.tsx'
import { formWords, type LeftSkill, type ListedSkill, type SkillReach } from './skills-kind.ts'

interface LoadedSkillsProps {
  readonly skills: readonly ListedSkill[]
  readonly filtered: boolean
  /** How many load, whatever the filter is. */
  readonly total: number
  readonly reach: SkillReach | undefined
}

/** The skills that load. Each opens to what the model reads of it. */
export function LoadedSkills({ skills, filtered, total, reach }: LoadedSkillsProps): ReactNode {
  if (total === 0) return null
  return (
    <section aria-label="Loaded skills" className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">Loaded</h2>
      {filtered && (
        <p role="status" className="text-sm text-soft">
          {skills.length === 0 ? 'No skill has these words.' : `${count(skills.length)} of ${count(total)}`}
        </p>
      )}
      {skills.length > 0 && (
        <ul aria-label="Loaded skills" className="flex flex-col divide-y divide-line rounded-lg border border-line">
          <LongList
            items={skills}
            atOnce={100}
            wrap={(more) => <li className="p-2">{more}</li>}
            draw={(skill) => (
              <li key={skill.name} aria-label={skill.name} className="px-3 py-2 text-sm">
                <Fold summary={<Facts skill={skill} form={reach?.form} />}>
                  <SkillDetail skill={skill} reach={reach} />
                </Fold>
              </li>
            )}
          />
        </ul>
      )}
    </section>
  )
}

function Facts({
  skill: { name, description, tokens, warnings },
  form,
}: {
  readonly skill: ListedSkill
  readonly form: SkillReach['form'] | undefined
}): ReactNode {
  return (
    <span className="inline-flex w-[calc(100%-1.5rem)] flex-col gap-0.5 align-top">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium" dir="auto">
          {exactLine(name)}
        </span>
        {form !== undefined && <span className={form === 'none' ? 'text-warn' : 'text-soft'}>{formWords[form]}</span>}
        {warnings.length > 0 && (
          <span className="text-warn">{warnings.length === 1 ? 'a warning' : `${warnings.length} warnings`}</span>
        )}
      </span>
      {description.trim() !== '' && (
        <span className="line-clamp-2 text-soft" dir="auto">
          {exactLine(description)}
        </span>
      )}
      <span className="text-xs text-soft">{`${count(tokens.list)} tokens as a line, ${count(tokens.full)} in full`}</span>
    </span>
  )
}

/** The skills that do not load: why, in which file, and what to do. */
export function LeftSkills({ left }: { readonly left: readonly LeftSkill[] }): ReactNode {
  if (left.length === 0) return null
  return (
    <section aria-label="Skills that are not loaded" className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">Not loaded</h2>
      <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
        <LongList
          items={left}
          atOnce={100}
          wrap={(more) => <li className="p-2">{more}</li>}
          draw={({ name, ref, why, file, hint, warnings }) => (
            <li key={ref} aria-label={name} className="flex flex-col gap-0.5 px-3 py-2 text-sm">
              <p className="font-medium" dir="auto">
                {exactLine(name)}
              </p>
              <p>{`Not loaded: ${exactLine(why)}.`}</p>
              <p>{hint}</p>
              <p className="font-mono text-xs text-soft">{file}</p>
              {warnings.map((warning) => (
                <p key={warning} className="text-warn">
                  {warning}
                </p>
              ))}
            </li>
          )}
        />
      </ul>
    </section>
  )
}
