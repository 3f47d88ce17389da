import { aider } from './aider.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { openclaw } from './openclaw.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import type { WrappedProgram } from './wrapped-program.ts'

/** The programs that `foreword wrap` runs. */
export const wrappedPrograms: readonly WrappedProgram[] = [claude, codex, opencode, pi, aider, openclaw]
