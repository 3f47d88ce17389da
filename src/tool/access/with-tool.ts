import { accessAnswer } from './access-answer.ts'
import { parseAccess, readAccess, type WrittenAccess } from './read-access.ts'
import { editJson, type JsonChange } from './edit-json.ts'
import { isListed, NAME_PATTERN, matchesToolName, toolSetting } from './access.ts'

/**
 * The text of `tool-access.json` after a tool was allowed, or forbidden; or all tools of a pattern such as `read_*`.
 * Everything else stays as it is, comments too.
 *
 * Allowing adds the name to the list, unless the list does not count or has it, and removes what disabled it. What
 * is disabled by a more exact name stays so, and `shell` is switched on by its own name alone. Forbidding takes
 * everything that the name matches off the list, and disables it by name. The master switches (`global.enabled`,
 * `global.mode`) are left alone.
 *
 * @throws Error where the text is faulty, naming every problem; and where the result would not mean that
 */
export function withTool(text: string, name: string, allowed: boolean): string {
  if (name.trim() === '' || !new RegExp(NAME_PATTERN.source, 'u').test(name)) {
    throw new Error(`the name ${JSON.stringify(name)} needs at least one character, and ${NAME_PATTERN.fault}`)
  }
  const { value, problems } = parseAccess(text)
  if (problems.length > 0) throw new Error(`Fix tool-access.json before you change it: ${problems.join('; ')}.`)
  const changes = allowed ? changesToAllow(value, name) : changesToForbid(value, name)
  const after = changes.length === 0 ? text : editJson(text, changes)
  const read = readAccess(after, {})
  if (read.type === 'faulty') throw new Error(`The changed file would not be valid: ${read.problems.join('; ')}.`)
  // No reader of Foreword's own, which need not be on the list, has such a name.
  const readsContext = !name.startsWith('_')
  if (!allowed && accessAnswer(read, { name, readsContext }).type !== 'refuse') throw unnameable(name)
  return after
}

function changesToAllow({ global, tools = {} }: WrittenAccess, name: string): readonly JsonChange[] {
  const changes: JsonChange[] = []
  if (global?.mode !== 'full' && !isListed(global?.allowedTools ?? [], name)) {
    changes.push({ type: 'append', path: ['global', 'allowedTools'], value: name })
  }
  const isOff = name === 'shell' ? tools.shell?.enabled !== true : toolSetting(tools, name, 'enabled')?.value === false
  if (isOff && name.startsWith('_')) throw unnameable(name)
  if (isOff) changes.push({ type: 'set', path: ['tools', name, 'enabled'], value: true })
  if (name === 'shell' && tools.shell?.mode === 'off') {
    changes.push({ type: 'set', path: ['tools', 'shell', 'mode'], value: 'allowlist' })
  }
  return changes
}

function changesToForbid({ global, tools = {} }: WrittenAccess, name: string): readonly JsonChange[] {
  const listed = (global?.allowedTools ?? []).flatMap((entry, index) => (matchesToolName(name, entry) ? [index] : []))
  // From the end, so that the places before stay what they are.
  const removals = listed
    .toReversed()
    .map((index): JsonChange => ({ type: 'remove', path: ['global', 'allowedTools', index] }))
  const exceptions = Object.keys(tools).filter(
    (other) => other !== name && matchesToolName(name, other) && tools[other]?.enabled === true,
  )
  const disabled = [...exceptions, ...(name.startsWith('_') || tools[name]?.enabled === false ? [] : [name])]
  return [
    ...removals,
    ...disabled.map((each): JsonChange => ({ type: 'set', path: ['tools', each, 'enabled'], value: false })),
  ]
}

function unnameable(name: string): Error {
  return new Error(
    `${name} cannot be named under tools: keys that begin with _ are comments. Use a shorter pattern, or leave it off global.allowedTools in mode allowlist`,
  )
}
