/** Names of all tools that Foreword brings, offered or not; `test/home.test.ts` holds the list against them. */
export const builtInNames: ReadonlySet<string> = new Set([
  'edit_file',
  'find_skill',
  'list_files',
  'log_gap',
  'log_operation',
  'open_url',
  'propose_notes_update',
  'propose_taste_update',
  'read_attachment',
  'read_context',
  'read_file',
  'read_full_notes',
  'read_history',
  'read_result',
  'read_skill',
  'search_attachment',
  'search_files',
  'search_files_of_agent',
  'search_project',
  'shell',
  'web_search',
  'write_file',
])

/** Whether a name is that of a tool of Foreword: no skill takes it, and with it what the tool is allowed (BEHAVIOURS §1.5). */
export function isBuiltInName(name: string): boolean {
  return builtInNames.has(name)
}
