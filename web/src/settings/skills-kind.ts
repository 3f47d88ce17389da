import type { SkillReach } from '../../../src/capabilities/skills/http/skill-answers.ts'
import { t } from '../language/language.ts'

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
