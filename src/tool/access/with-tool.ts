import { applyEdits, type JSONPath, modify } from 'jsonc-parser'
import { isListed } from './access-answer.ts'
import { parseAccess, type WrittenAccess } from './access-text.ts'

/**
 * The text of `tool-access.json` after a tool was allowed, or forbidden. Everything else stays as it is, comments too; one
 * that stands next to a name that goes may go with it. Allowing puts it on the list, unless the list does not count, and takes back what disabled it. The master switches
 * (`global.enabled`, `global.mode`) are left alone. Throws an `Error` that names every problem where the text is faulty.
 */
export function withTool(text: string, name: string, allowed: boolean): string {
  const { value, problems } = parseAccess(text)
  if (problems.length > 0) {
    throw new Error(`tool-access.json has to be mended before it can be changed: ${problems.join('; ')}`)
  }
  const changes = allowed ? changesToAllow(value, name) : changesToForbid(value, name)
  return changes.reduce(
    (edited, { path, to, inserts = false }) =>
      applyEdits(edited, modify(edited, path, to, { ...FORMAT, isArrayInsertion: inserts })),
    text,
  )
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } }

/** One value at a time, so that comments around the others stay. */
interface Change {
  readonly path: JSONPath
  /** `undefined` takes it away. */
  readonly to: unknown
  /** A new item of a list, in front of what stands there. */
  readonly inserts?: boolean
}

function changesToAllow({ global, tools }: WrittenAccess, name: string): readonly Change[] {
  const list = listOf(global)
  const own = tools?.[name]
  const isOff = name === 'shell' ? own?.['enabled'] !== true : own?.['enabled'] === false
  const changes: Change[] = []
  if (global?.['mode'] !== 'full' && !isListed(list ?? [], name)) {
    changes.push(
      list
        ? { path: ['global', 'allowedTools', list.length], to: name, inserts: true }
        : { path: ['global', 'allowedTools'], to: [name] },
    )
  }
  if (isOff) changes.push({ path: ['tools', name, 'enabled'], to: true })
  if (name === 'shell' && own?.['mode'] === 'off') changes.push({ path: ['tools', name, 'mode'], to: 'allowlist' })
  return changes
}

function changesToForbid({ global, tools }: WrittenAccess, name: string): readonly Change[] {
  const places = (listOf(global) ?? []).flatMap((entry, index) => (entry === name ? [index] : []))
  // From the end, so that the places before stay what they are.
  const changes: Change[] = places
    .toReversed()
    .map((index) => ({ path: ['global', 'allowedTools', index], to: undefined }))
  if (tools?.[name]?.['enabled'] !== false) changes.push({ path: ['tools', name, 'enabled'], to: false })
  return changes
}

function listOf(global: WrittenAccess['global']): readonly string[] | undefined {
  return global?.['allowedTools'] as readonly string[] | undefined
}
