import type { CommandCall } from '../../../cli/command.ts'
import { usageFailure } from '../../../cli/failure.ts'
import type { Io } from '../../../cli/io.ts'
import { readNamedFile } from '../../../cli/read-file.ts'

/** The fields of a project as the options name them. */
export async function projectFields(call: CommandCall, io: Io): Promise<Readonly<Record<string, unknown>>> {
  const file = call.text('instructions-file')
  const text = call.text('instructions')
  if (file !== undefined && text !== undefined) {
    throw usageFailure(
      'The instructions are given twice.',
      'Write `--instructions TEXT` or `--instructions-file PATH`.',
    )
  }
  const given = { name: call.text('name'), instructions: file === undefined ? text : await readNamedFile(file, io) }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
