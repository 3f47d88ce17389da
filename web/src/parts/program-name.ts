import type { SessionProgram } from '../../../src/capability.ts'
import { t } from '../language/language.ts'

/** Names that people know programs by. */
const names: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  codex: t`Codex`,
  openclaw: 'OpenClaw',
  'gemini-cli': 'Gemini CLI',
  'qwen-code': 'Qwen Code',
  'copilot-cli': 'Copilot CLI',
}

/** `Claude Code`. */
export function programName({ name }: Pick<SessionProgram, 'name'>): string {
  return names[name] ?? name
}
