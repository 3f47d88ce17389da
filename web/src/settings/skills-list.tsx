import { type ReactNode, useEffect } from 'react'
import { exactLine } from '../../../src/context.ts'
import { Fold } from '../parts/fold.tsx'
import { LongList, ExactText } from '../parts/long-text.tsx'
import type {
  UnloadedSkill,
  ListedSkill,
  ShownSkill,
  SkillReach,
} from '../../../src/capabilities/skills/http/skill-answers.ts'
import { formWords, skillPath } from './skills-kind.ts'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { providerTokens } from '../parts/provider-tokens.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { t, translated } from '../language/language.ts'
import { Words } from '../parts/words.tsx'

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
    <section aria-label={t`Loaded skills`} className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">{t`Loaded`}</h2>
      {filtered && (
        <p role="status" className="text-sm text-soft">
          {skills.length === 0 ? t`No skill has these words.` : t`${skills.length} of ${total}`}
        </p>
      )}
      {skills.length > 0 && (
        <ul aria-label={t`Loaded skills`} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          <LongList
            items={skills}
            atOnce={100}
            wrap={(more) => <li className="p-2">{more}</li>}
            draw={(skill) => (
              <li key={skill.name} aria-label={skill.name} className="px-3 py-2 text-sm">
                <Fold summary={<Facts skill={skill} reach={reach} />}>
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
  reach,
}: {
  readonly skill: ListedSkill
  readonly reach: SkillReach | undefined
}): ReactNode {
  const form = reach?.form
  const sized = (counted: number): number => providerTokens(counted, reach?.prompt)
  return (
    <span className="inline-flex w-[calc(100%-1.5rem)] flex-col gap-0.5 align-top">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium" dir="auto">
          {exactLine(name)}
        </span>
        {form !== undefined && <span className={form === 'none' ? 'text-warn' : 'text-soft'}>{formWords[form]}</span>}
        {warnings.length > 0 && (
          <span className="text-warn">{warnings.length === 1 ? t`a warning` : t`${warnings.length} warnings`}</span>
        )}
      </span>
      {description.trim() !== '' && (
        <span className="line-clamp-2 text-soft" dir="auto">
          {exactLine(description)}
        </span>
      )}
      <span className="text-xs text-soft">{t`${sized(tokens.list)} tokens as a line, ${sized(tokens.full)} in full`}</span>
    </span>
  )
}

/** The skills that do not load: why, in which file, and what to do. */
export function UnloadedSkills({ left }: { readonly left: readonly UnloadedSkill[] }): ReactNode {
  if (left.length === 0) return null
  return (
    <section aria-label={t`Skills that are not loaded`} className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">{t`Not loaded`}</h2>
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
              <p>{t`Not loaded: ${translated(exactLine(why))}.`}</p>
              <p>
                <Words>{hint}</Words>
              </p>
              <p className="font-mono text-xs text-soft">{file}</p>
              {warnings.map((warning) => (
                <p key={warning} className="text-warn">
                  <Words>{warning}</Words>
                </p>
              ))}
            </li>
          )}
        />
      </ul>
    </section>
  )
}

interface SkillDetailProps {
  readonly skill: ListedSkill
  readonly reach: SkillReach | undefined
}

/** One skill: where it is, what the model reads of it, its files, and what is wrong with it. */
function SkillDetail({ skill: { name, digest }, reach }: SkillDetailProps): ReactNode {
  const { data, error, mutate } = useResource<ShownSkill>(skillPath(name))
  // The list has found it changed.
  const isOld = data !== undefined && data.digest !== digest
  useEffect(() => {
    if (isOld) void mutate()
  }, [isOld, mutate])
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const { fields, warnings, findings } = data
  const sized = (counted: number): number => providerTokens(counted, reach?.prompt)
  const rows = [
    [t`Now`, reach && `${formWords[reach.form]} (${reach.model})`],
    [t`Folder`, data.folder],
    [t`Digest`, data.digest],
    [t`Tools`, toolsText(data.tools, reach)],
    [t`Version`, fields.version],
    [t`License`, fields.license],
    [t`Compatibility`, fields.compatibility],
    [t`Allowed tools`, fields.allowedTools],
  ].filter((row): row is [string, string] => row[1] !== undefined && row[1] !== '')
  return (
    <div className="mt-2 flex flex-col gap-3">
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_1fr]">
        {rows.map(([title, value]) => (
          <div key={title} className="sm:contents">
            <dt className="text-soft">{title}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      {(warnings.length > 0 || findings.length > 0) && (
        <ul aria-label={t`Faults of ${name}`} className="flex flex-col gap-1 rounded-lg border border-warn px-3 py-2">
          {warnings.map((warning) => (
            <li key={warning}>
              <Words>{warning}</Words>
            </li>
          ))}
          {findings.map(({ file, line, level, message }) => (
            <li key={`${file}:${line} ${message}`}>
              {level === 'error'
                ? t`${file}, line ${line}, error: ${translated(message)}`
                : t`${file}, line ${line}, note: ${translated(message)}`}
            </li>
          ))}
        </ul>
      )}
      <Text title={t`Its line in the list, ${sized(data.tokens.list)} tokens`} text={data.line} />
      <Text title={t`In full, ${sized(data.tokens.full)} tokens`} text={data.text} />
      <Files name={name} files={data.files} moreFiles={data.moreFiles} />
    </div>
  )
}

function toolsText(tools: readonly string[], reach: SkillReach | undefined): string {
  return tools
    .map((tool) => (reach === undefined || reach.tools.includes(tool) ? tool : t`${tool} (not offered)`))
    .join(', ')
}

function Files({ name, files, moreFiles }: Pick<ShownSkill, 'name' | 'files' | 'moreFiles'>): ReactNode {
  return (
    <Fold
      summaryClassName="text-soft"
      summary={moreFiles === 0 ? t`Files (${files.length})` : t`Files (${files.length} of ${files.length + moreFiles})`}
    >
      <ul className="mt-1 flex flex-col gap-1 ps-4">
        {files.map(({ path, bytes }) => (
          <li key={path}>
            <Fold
              summaryClassName="font-mono text-xs"
              summary={`${path}${bytes === undefined ? '' : `  ${t`${bytes} bytes`}`}`}
            >
              <div className="mt-1">
                <FileText name={name} path={path} />
              </div>
            </Fold>
          </li>
        ))}
      </ul>
    </Fold>
  )
}

function FileText({ name, path }: { readonly name: string; readonly path: string }): ReactNode {
  const { data, error } = useResource<{ readonly text: string }>(
    skillPath(name, `/file?path=${encodeURIComponent(path)}`),
  )
  if (error) return <p className="text-soft">{error.message}</p>
  if (data === undefined) return <Spinner />
  return <ExactText label={t`Text of ${path}`} text={data.text} />
}

function Text({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <Fold summaryClassName="text-soft" summary={title}>
      <div className="mt-1">
        <ExactText label={title} text={text} />
      </div>
    </Fold>
  )
}
