/** Something about a skill's files that is against the Agent Skills standard, or only unusual. */
export interface SkillFinding {
  /** Path of the file, within the skill's folder. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** An `error` breaks a rule of the standard, or a promise of the skill itself; a `note` is worth a look. */
  readonly level: 'error' | 'note'
  readonly message: string
}
