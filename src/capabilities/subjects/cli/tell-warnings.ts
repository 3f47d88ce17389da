import { exactLine } from '../../../cli/exact-text.ts'
import { type Io, note } from '../../../cli/io.ts'
import { styled } from '../../../cli/style.ts'

/** What was odd about the files of a subject, beside the data. */
export function tellWarnings(warnings: readonly string[], io: Io): void {
  for (const warning of warnings) note(io, styled(io, 'yellow', exactLine(warning), io.stderr))
}
