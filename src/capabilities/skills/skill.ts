import type { UnloadedSkill } from './http/skill-answers.ts'
import { noRequirements, type Requirements } from './folder/requirements.ts'

export interface SkillRoot {
  readonly path: string
  /** Its name in manifests and lists, such as `skills`: if possible, the same on every machine. */
  readonly ref: string
  readonly kind: 'home' | 'extra' | 'workspace'
  /** `false`: skills of this folder are listed, and not read. */
  readonly trusted?: boolean
}

export interface Skill {
  /** From the frontmatter, else the name of the folder. In NFC, on one line. */
  readonly name: string
  /** Empty if there is none. */
  readonly description: string
  /** `SKILL.md` without its frontmatter. */
  readonly body: string
  /** Absolute path of its folder, links as they are. */
  readonly folder: string
  /** The same without links, as it was when the skill was read: its files are read there, wherever a link leads later. */
  readonly realFolder: string
  /** The folder as manifests and lists name it, such as `skills/alpha`. */
  readonly ref: string
  readonly kind: SkillRoot['kind']
  readonly fields: Frontmatter
  readonly toolFiles: ToolFiles | undefined
  /** SHA-256 of everything in the folder, if it was requested. */
  readonly digest: string | undefined
}

export type LeftSkill = Pick<UnloadedSkill, 'name' | 'folder' | 'ref' | 'code' | 'why'>

export interface LoadedSkills {
  /** Each name once, in the order of §1.1 of BEHAVIOURS. */
  readonly skills: readonly Skill[]
  readonly left: readonly LeftSkill[]
  /** Sentences that begin with a path. */
  readonly warnings: readonly string[]
}

export interface Frontmatter {
  /** In NFC, on one line. */
  readonly name?: string
  /** Trimmed. */
  readonly description?: string
  readonly license?: string
  readonly compatibility?: string
  /** As written; a list is joined by spaces. */
  readonly allowedTools?: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** `metadata.version`, as written. */
  readonly version?: string
  /** From `metadata.requires`, and from the parts of `metadata` for other agents that public skills are written for. */
  readonly requires: Requirements
}

export interface FrontmatterRead {
  readonly fields: Frontmatter
  readonly warnings: readonly string[]
}

export const noFrontmatter: Frontmatter = { metadata: {}, requires: noRequirements }

/** The files that declare the tools of a skill, in the order in which they are read. */
export const TOOL_FILES = ['tools.json', 'allowlist.json', 'execution.json'] as const

export type ToolFile = (typeof TOOL_FILES)[number]

/** Either `tools.json` has everything, or it lists the tools, and the two other files define what they run. */
export type ToolFiles = { readonly 'tools.json': string } & { readonly [Name in ToolFile]?: string }
