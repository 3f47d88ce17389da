import type { CommandCall, Io } from '../../../capability.ts'
import { readNamedFile, usageFailure } from '../../../cli.ts'

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
