import { type ReactNode, useEffect } from 'react'
import { exactLine } from '../../../src/context.ts'
import { Fold } from '../parts/fold.tsx'
import { LongList } from '../parts/long-text.tsx'
import { count } from '../parts/numbers.ts'
import {
  formWords,
  type LeftSkill,
  type ListedSkill,
  type ShownSkill,
  skillPath,
  type SkillReach,
} from './skills-kind.ts'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { ExactText } from '../parts/exact-text.tsx'
import { Spinner } from '../parts/spinner.tsx'

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
  const rows = [
    ['Now', reach && `${formWords[reach.form]} (${reach.model})`],
    ['Folder', data.folder],
    ['Digest', data.digest],
    ['Tools', toolsText(data.tools, reach)],
    ['Version', fields.version],
    ['License', fields.license],
    ['Compatibility', fields.compatibility],
    ['Allowed tools', fields.allowedTools],
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
        <ul aria-label={`Faults of ${name}`} className="flex flex-col gap-1 rounded-lg border border-warn px-3 py-2">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
          {findings.map(({ file, line, level, message }) => (
            <li key={`${file}:${line} ${message}`}>{`${file}, line ${line}, ${level}: ${message}`}</li>
          ))}
        </ul>
      )}
      <Text title={`Its line in the list, ${count(data.tokens.list)} tokens`} text={data.line} />
      <Text title={`In full, ${count(data.tokens.full)} tokens`} text={data.text} />
      <Files name={name} files={data.files} moreFiles={data.moreFiles} />
    </div>
  )
}

function toolsText(tools: readonly string[], reach: SkillReach | undefined): string {
  return tools
    .map((tool) => (reach === undefined || reach.tools.includes(tool) ? tool : `${tool} (not offered)`))
    .join(', ')
}

function Files({ name, files, moreFiles }: Pick<ShownSkill, 'name' | 'files' | 'moreFiles'>): ReactNode {
  const more = moreFiles === 0 ? '' : ` of ${count(files.length + moreFiles)}`
  return (
    <Fold summaryClassName="text-soft" summary={`Files (${count(files.length)}${more})`}>
      <ul className="mt-1 flex flex-col gap-1 ps-4">
        {files.map(({ path, bytes }) => (
          <li key={path}>
            <Fold
              summaryClassName="font-mono text-xs"
              summary={`${path}${bytes === undefined ? '' : `  ${count(bytes)} bytes`}`}
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
  return <ExactText label={`Text of ${path}`} text={data.text} />
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
