import type { Origin } from '../../context.ts'
import { type Recogniser, type SectionRule, tag, wholeMessage } from './recogniser.ts'

/** A file of instructions, as Gemini CLI and those that descend from it write it. */
export const contextFile: SectionRule = {
  layer: 'instructions',
  begin: '--- Context from: ',
  name: /^--- Context from: (?<name>[^\n]{1,400}?) ---/,
  where: ['system', 'user'],
}

/** What holds for any client, behind what is known of its own. */
export const general: Recogniser = {
  signs: [],
  session: [
    { header: 'x-session-id' },
    { header: 'session-id' },
    { header: 'session_id' },
    { header: 'thread-id' },
    { header: 'x-conversation-id' },
    { header: 'x-session-affinity' },
    { body: ['metadata', 'session_id'] },
    { body: ['metadata', 'thread_id'] },
    { body: ['metadata', 'user_id'], json: 'session_id' },
    { body: ['metadata', 'user_id'], pattern: /_session_(?<value>[\w-]{8,64})$/ },
    { body: ['conversation'] },
    { body: ['conversation', 'id'] },
  ],
  parent: [{ header: 'x-parent-session-id' }, { body: ['metadata', 'parent_session_id'] }],
  turn: [{ header: 'x-turn-id' }, { body: ['metadata', 'turn_id'] }],
  sections: [
    // What a cut of ours puts in the place of older parts (`cut/cut-request.ts`).
    { layer: 'note', begin: '[Foreword left older parts of this conversation out.]', ...wholeMessage },
    { layer: 'reminder', ...tag('system-reminder'), where: ['system', 'user', 'result'] },
    { layer: 'environment', ...tag('environment'), where: ['system', 'user'] },
    { layer: 'environment', ...tag('env'), where: ['system'] },
    ...['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'].map((file) => ({
      layer: 'instructions',
      begin: `# ${file}`,
      name: /^# (?<name>[^\n]{1,400})/,
      where: ['system', 'user'] as const,
    })),
    contextFile,
    { layer: 'memory', begin: '# auto memory', origin: 'operator', where: ['system'] },
    { layer: 'summary', ...tag('state_snapshot'), where: ['user'] },
    { layer: 'skills', ...tag('available_skills'), where: ['system', 'user'] },
  ],
}

/** Who said what a section of this layer has; `operator` for any other. */
export const layerOrigins: ReadonlyMap<string, Origin['kind']> = new Map<string, Origin['kind']>([
  ...['instructions', 'memory', 'skill', 'skills', 'file', 'changed-file', 'attachment', 'repository-map'].map(
    (layer) => [layer, 'file'] as const,
  ),
  ['mcp-instructions', 'tool'],
  ['summary', 'model'],
  ['command', 'user'],
])

export const commandFields: ReadonlySet<string> = new Set(['cmd', 'command', 'commands'])

/** Fields of inputs that name what a call is about, the best first; some of them for these tools alone. */
export const targetFields: readonly (readonly [field: string, tool?: RegExp])[] = [
  ['pattern', /^(?:Grep|Glob)$/],
  ['description', /^(?:[tT]ask|Agent)$/],
  ['skill', /^[sS]kill$/],
  ['agent_name', /^invoke_agent$/],
  ...`file_path filePath filepath absolute_path notebook_path path filename dir_path dirpath files cmd command commands url query pattern name`
    .split(' ')
    .map((field) => [field] as const),
]
