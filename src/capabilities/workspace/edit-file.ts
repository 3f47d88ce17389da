import type { Tool } from '../../tool.ts'
import { type Change, changePlan } from './change-plan.ts'
import { nearestText } from './nearest-text.ts'
import { MOST_BYTES } from './text-file.ts'
import type { WorkspaceOptions } from './workspace-options.ts'

interface EditInput {
  readonly path: string
  readonly old_text: string
  readonly new_text: string
  readonly replace_all?: boolean
}

/** The tool `edit_file`: one text in a file becomes another. */
export function editFileTool(options: WorkspaceOptions): Tool {
  return {
    name: 'edit_file',
    description:
      'Replace old_text in a file by new_text. old_text must stand there exactly, and once unless replace_all.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        old_text: { type: 'string', minLength: 1 },
        new_text: { type: 'string' },
        replace_all: { type: 'boolean' },
      },
      required: ['path', 'old_text', 'new_text'],
      additionalProperties: false,
    },
    approval: 'ask',
    plan(input) {
      const edit = input as EditInput
      return changePlan(options, edit.path, (shown, before) => {
        if (before === undefined) return refused(`${shown} does not exist; write_file creates a file`)
        return edited(shown, before, edit)
      })
    },
  }
}

function edited(shown: string, before: string, { old_text, new_text, replace_all = false }: EditInput): Change {
  const count = countOf(before, old_text)
  if (count === 0) return refused(`old_text does not stand in ${shown}${nearestText(before, old_text)}`)
  if (count > 1 && !replace_all) {
    return refused(
      `old_text stands ${count} times in ${shown}: add lines around it until it is unique, or set replace_all`,
    )
  }
  if (before.length + count * (new_text.length - old_text.length) > MOST_BYTES) {
    return refused(`${shown} would grow beyond the ${MOST_BYTES} bytes that are written`)
  }
  // A function, so that `$&` in a text is nothing but that.
  const text = before.replaceAll(old_text, () => new_text)
  return { type: 'text', text, said: `edited ${shown} (${count === 1 ? '1 place' : `${count} places`})` }
}

/** How often a text stands in another, without overlaps. */
function countOf(text: string, wanted: string): number {
  let count = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1
  return count
}

function refused(why: string): Change {
  return { type: 'refused', why }
}
