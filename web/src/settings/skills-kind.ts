import type { CountedPrompt } from '../parts/provider-tokens.tsx'
import { t } from '../language/language.ts'

/** A skill that loads, as the list shows it. */
export interface ListedSkill {
  readonly name: string
  readonly description: string
  readonly tokens: { readonly full: number; readonly list: number }
  readonly tools: readonly string[]
  readonly from: string
  readonly folder: string
  readonly digest?: string
  readonly warnings: readonly string[]
}

export interface LeftSkill {
  readonly name: string
  readonly ref: string
  readonly why: string
  readonly file: string
  readonly hint: string
  readonly warnings: readonly string[]
}

/** `GET /api/skills` */
export interface SkillList {
  readonly skills: readonly ListedSkill[]
  readonly left: readonly LeftSkill[]
  readonly warnings: readonly string[]
  readonly tokens: { readonly full: number; readonly list: number }
  readonly total: number
  readonly read: number
  readonly changed: readonly string[]
  readonly directory: string
  readonly why: string
}

/** `GET /api/skills/NAME` */
export interface ShownSkill extends ListedSkill {
  readonly fields: {
    readonly license?: string
    readonly compatibility?: string
    readonly allowedTools?: string
    readonly version?: string
  }
  readonly line: string
  readonly text: string
  readonly files: readonly { readonly path: string; readonly bytes?: number }[]
  readonly moreFiles: number
  readonly findings: readonly {
    readonly file: string
    readonly line: number
    readonly level: 'error' | 'note'
    readonly message: string
  }[]
}

/** `POST /api/skills/reach` */
export interface SkillReach {
  readonly model: string
  readonly form: 'full' | 'list' | 'names' | 'search' | 'none'
  readonly but?: string
  readonly hint?: string
  readonly text: string
  readonly tools: readonly string[]
  /** The whole prompt, by both counts. */
  readonly prompt: CountedPrompt
}

export const formWords: Readonly<Record<SkillReach['form'], string>> = {
  full: t`sent in full`,
  list: t`its line is sent`,
  names: t`its name is sent`,
  search: t`found by search`,
  none: t`not sent`,
}

export function skillPath(name: string, what = ''): string {
  return `/api/skills/${encodeURIComponent(name)}${what}`
}
