import type { CommandCall, Io } from '../../../capability.ts'
import { readNamedFile, usageFailure } from '../../../cli.ts'

/** Fields that an agent need not have. */
const optional: readonly string[] = ['reminder', 'tools', 'model', 'layout']

/** The fields of an agent as the options name them; `null` for one that is taken away. */
export async function agentFields(call: CommandCall, io: Io): Promise<Readonly<Record<string, unknown>>> {
  const file = call.text('prompt-file')
  const text = call.text('prompt')
  if (file !== undefined && text !== undefined) {
    throw usageFailure('The prompt is given twice.', 'Write `--prompt TEXT` or `--prompt-file PATH`.')
  }
  const given = {
    name: call.text('name'),
    prompt: file === undefined ? text : await readNamedFile(file, io),
    mode: call.text('mode'),
    reminder: call.text('reminder'),
    tools: call
      .text('tools')
      ?.split(',')
      .map((tool) => tool.trim())
      .filter((tool) => tool !== ''),
    model: call.text('model'),
    layout: call.text('layout'),
  }
  const taken = call.texts('without').map((field) => [withoutField(field), null])
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(taken),
  }
}

function withoutField(field: string): string {
  if (optional.includes(field)) return field
  throw usageFailure(`${field} cannot be taken away.`, `It can be one of ${optional.join(', ')}.`)
}
