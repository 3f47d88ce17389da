import { type Missing, noRequirements, type Requirements } from './folder/requirements.ts'

/** A folder of skills: each folder in it that holds a `SKILL.md` is one. */
export interface SkillRoot {
  /** Absolute path. */
  readonly path: string
  /** How manifests and lists name it, such as `skills`: the same on every machine where it can be. */
  readonly ref: string
  readonly kind: 'home' | 'extra' | 'workspace'
  /** Skills of a folder that is not trusted are named, and not read. Trusted unless said. */
  readonly trusted?: boolean
}

/** A skill that is there to be used. */
export interface Skill {
  /** From the frontmatter, else the name of the folder. In NFC, on one line. */
  readonly name: string
  /** Empty where there is none. */
  readonly description: string
  /** `SKILL.md` without its frontmatter. */
  readonly body: string
  /** Absolute path of its folder, links as they are. */
  readonly folder: string
  /** The folder as manifests and lists name it, such as `skills/alpha`. */
  readonly ref: string
  readonly kind: SkillRoot['kind']
  readonly fields: Frontmatter
  /** What declares its tools. */
  readonly toolFiles: ToolFiles | undefined
  /** SHA-256 of everything in the folder, where it was asked for. */
  readonly digest: string | undefined
}

/** A skill that is not used. */
export interface LeftSkill {
  readonly name: string
  readonly folder: string
  readonly ref: string
  readonly code: Missing['code'] | 'disabled' | 'replaced' | 'unreadable' | 'untrusted'
  /** Why, and how to fix it. */
  readonly why: string
}

/** What a look at folders of skills came to. */
export interface LoadedSkills {
  /** Each name once, in the order of §1.1 of BEHAVIOURS. */
  readonly skills: readonly Skill[]
  readonly left: readonly LeftSkill[]
  /** What was wrong, in sentences that begin with a path. */
  readonly warnings: readonly string[]
}

/** What the frontmatter of a skill says: the fields of the Agent Skills standard. */
export interface Frontmatter {
  /** In NFC, on one line. */
  readonly name?: string
  /** Trimmed. */
  readonly description?: string
  readonly license?: string
  readonly compatibility?: string
  /** As it was written; a list is joined by blanks. */
  readonly allowedTools?: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** `metadata.version`, as it was written. */
  readonly version?: string
  /** Of `metadata.requires`, and of what `metadata` holds for the agents that public skills are written for. */
  readonly requires: Requirements
}

/** Frontmatter, and what was wrong with it in sentences that name the field. */
export interface FrontmatterRead {
  readonly fields: Frontmatter
  readonly warnings: readonly string[]
}

export const noFrontmatter: Frontmatter = { metadata: {}, requires: noRequirements }

/** The files that declare the tools of a skill, in the order in which they are read. */
export const TOOL_FILES = ['tools.json', 'allowlist.json', 'execution.json'] as const

export type ToolFile = (typeof TOOL_FILES)[number]

/**
 * Their texts. One `tools.json` may hold everything; or it is a list of tools, and `allowlist.json` and `execution.json`
 * beside it say what they may run and what they do run.
 */
export type ToolFiles = { readonly 'tools.json': string } & { readonly [Name in ToolFile]?: string }
