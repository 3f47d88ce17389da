import { type Recogniser, type SectionRule, tag, wholeMessage } from './recogniser.ts'

const reminder = tag('system-reminder')

const requestClass = { header: 'x-claude-code-request-class' } as const

/** The files of the instructions, and what is said behind them. */
const inInstructions: readonly SectionRule[] = [
  {
    layer: 'memory',
    begin: 'Contents of ',
    firstLine: /\/memory\/|MEMORY\.md|auto-memory/,
    name: /^Contents of (?<name>[^\n]{1,400}?)(?: \([^\n)]{0,200}\))?:\n/,
  },
  {
    layer: 'instructions',
    begin: 'Contents of ',
    name: /^Contents of (?<name>[^\n]{1,400}?)(?: \([^\n)]{0,200}\))?:\n/,
  },
  ...['# currentDate', '# gitStatus', '# userEmail'].map((begin) => ({ layer: 'environment', begin })),
]

/** Claude Code, versions 2.1. */
export const claudeCode: Recogniser = {
  client: 'claude-code',
  signs: [
    { header: 'user-agent', pattern: /^claude-(?:cli|code)\/(?<version>[\w.-]{1,40})/i },
    { header: 'x-claude-code-session-id', pattern: /./ },
  ],
  session: [{ header: 'x-claude-code-session-id' }],
  agent: [{ header: 'x-claude-code-agent-id' }],
  parent: [{ header: 'x-claude-code-parent-agent-id' }],
  // This one and the class of a request are sent to other addresses only with `CLAUDE_CODE_GATEWAY_HINT_HEADERS=1`.
  turn: [{ header: 'x-claude-code-prompt-id' }],
  kinds: [
    { kind: 'compaction', at: { header: 'x-claude-code-compaction' }, value: /^(?!0$|false$)/ },
    { kind: 'compaction', at: requestClass, value: /^compaction$/ },
    { kind: 'quota', mostTokens: 1, last: ['quota', 'test', 'count'], withoutTools: true },
    {
      kind: 'compaction',
      last: [
        'create a detailed summary of the conversation',
        'create a detailed summary of this conversation',
        'create a detailed summary of the RECENT portion',
      ],
    },
    { kind: 'compaction', system: ['tasked with summarizing conversations'] },
    { kind: 'title', answers: 'title' },
    {
      kind: 'title',
      withoutTools: true,
      system: [
        'sentence-case title',
        'new conversation topic',
        'title for the following',
        'concise title',
        'short title',
        'title and branch name',
      ],
    },
    {
      kind: 'title',
      withoutTools: true,
      last: ['word title for the following conversation', 'title for the following', 'Generate a short title'],
    },
    { kind: 'other', at: requestClass, value: /^auxiliary$/ },
    { kind: 'sub-agent', at: requestClass, value: /^(?:subagent|workflow)$/ },
    { kind: 'sub-agent', at: { header: 'x-claude-code-agent-id' } },
    { kind: 'sub-agent', system: ['cc_is_subagent=true'] },
  ],
  sections: [
    { layer: 'billing', begin: 'x-anthropic-billing-header', whole: true, where: ['system'] },
    ...['# claudeMd', 'user instructions are shown below'].map((holds) => ({
      layer: 'instructions',
      ...reminder,
      holds,
      where: ['user', 'system'] as const,
      inner: inInstructions,
    })),
    { layer: 'skills', ...reminder, holds: 'skills are available' },
    { layer: 'agents', ...reminder, holds: 'agent types' },
    { layer: 'deferred-tools', ...reminder, holds: 'deferred tools' },
    { layer: 'mcp-instructions', ...reminder, holds: '# MCP Server Instructions' },
    { layer: 'todo-list', ...reminder, holds: 'todo list', where: ['user', 'system', 'result'] },
    {
      layer: 'changed-file',
      ...reminder,
      holds: 'was modified, either by the user or by a linter',
      where: ['user', 'system', 'result'],
    },
    // A file that a person named with `@`, and one that is read again after a compaction: a call, and its result behind it.
    {
      layer: 'file',
      ...reminder,
      holds: 'Called the Read tool with the following input',
      name: /"file_path": ?"(?<name>[^"\n]{1,400})"/,
      where: ['user', 'system'],
    },
    {
      layer: 'file',
      ...reminder,
      holds: 'Result of calling the Read tool',
      continues: true,
      where: ['user', 'system'],
    },
    {
      layer: 'file',
      ...reminder,
      holds: 'was read before the last conversation was summarized',
      name: /Note: (?<name>[^\n]{1,400}?) was read before the last conversation/,
      where: ['user', 'system'],
    },
    // A system message within the conversation has several of them, one behind the other and without tags.
    { layer: 'skills', begin: 'The following skills are available', where: ['system'] },
    { layer: 'agents', begin: 'Available agent types', where: ['system'] },
    { layer: 'deferred-tools', begin: 'The following deferred tools', where: ['system'] },
    { layer: 'summary', begin: 'This session is being continued from a previous conversation', ...wholeMessage },
    { layer: 'environment', begin: '# Environment', where: ['system'] },
    { layer: 'environment', begin: 'gitStatus:', where: ['system'] },
    { layer: 'mcp-instructions', begin: '# MCP Server Instructions', where: ['system'] },
    {
      layer: 'skill',
      begin: 'Base directory for this skill:',
      ...wholeMessage,
      name: /^Base directory for this skill: (?<name>[^\n]{1,400})/,
    },
    { layer: 'command', begin: '<command-name>', ...wholeMessage },
    { layer: 'command', begin: '<command-message>', ...wholeMessage },
    { layer: 'command', begin: '<local-command-', ...wholeMessage },
    { layer: 'interruption', begin: '[Request interrupted by user', ...wholeMessage },
  ],
  remedies: {
    'unused-tool': 'In settings.json: `permissions.deny: {name}`.',
    'unused-server': '`claude mcp remove {name}`, or switch it off in `/mcp`.',
    'carried-result': '`/compact` or `/clear` once it is no longer needed.',
    'repeated-result': '`/compact` or `/clear` between tasks.',
    'cold-cache': '`/clear` before you come back to it after a break.',
  },
}
