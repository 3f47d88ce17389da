import { aiderProgram } from './aider.ts'
import { claudeProgram } from './claude.ts'
import { codexProgram } from './codex.ts'
import { openclawProgram } from './openclaw.ts'
import { opencodeProgram } from './opencode.ts'
import { piProgram } from './pi.ts'
import type { WrappedProgram } from './wrapped-program.ts'

export const wrappedPrograms: readonly WrappedProgram[] = [
  claudeProgram,
  codexProgram,
  opencodeProgram,
  piProgram,
  aiderProgram,
  openclawProgram,
]
