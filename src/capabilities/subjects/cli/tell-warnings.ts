import { exactLine, note, styled } from '../../../cli.ts'
import type { Io } from '../../../capability.ts'

/** What was odd about the files of a subject, beside the data. */
export function tellWarnings(warnings: readonly string[], io: Io): void {
  for (const warning of warnings) note(io, styled(io, 'yellow', exactLine(warning), io.stderr))
}
