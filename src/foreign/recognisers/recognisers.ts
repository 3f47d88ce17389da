import { claudeCode } from './claude-code.ts'
import { cliAgents } from './cli-agents.ts'
import { general } from './general.ts'
import { type Recogniser, type SectionRule, tag, wholeMessage } from './recogniser.ts'

const metadata = ['client_metadata', 'x-codex-turn-metadata'] as const
const inMetadata = (json: string) => [
  { body: metadata, json },
  { header: 'x-codex-turn-metadata', json },
]

/** Codex CLI, versions 0.1. */
const codex: Recogniser = {
  client: 'codex',
  signs: [
    { header: 'user-agent', pattern: /^codex[\w-]*\/(?<version>[\w.-]{1,40})/i },
    { header: 'originator', pattern: /^codex/i },
  ],
  session: [
    { header: 'thread-id' },
    { body: ['client_metadata', 'thread_id'] },
    { header: 'session-id' },
    { header: 'session_id' },
    { header: 'conversation_id' },
    { body: ['client_metadata', 'session_id'] },
    { body: ['prompt_cache_key'] },
  ],
  parent: [
    { header: 'x-codex-parent-thread-id' },
    { body: ['client_metadata', 'x-codex-parent-thread-id'] },
    { body: ['client_metadata', 'parent_thread_id'] },
    ...inMetadata('parent_thread_id'),
    ...inMetadata('forked_from_thread_id'),
  ],
  turn: [{ body: ['client_metadata', 'turn_id'] }, ...inMetadata('turn_id')],
  kinds: [
    { kind: 'compaction', path: '/responses/compact' },
    ...inMetadata('request_kind').map((at) => ({ kind: 'compaction' as const, at, value: /compact/ })),
    ...inMetadata('request_kind').map((at) => ({ kind: 'other' as const, at, value: /^prewarm$/ })),
    { kind: 'compaction', at: { header: 'x-openai-subagent' }, value: /^compact$/ },
    { kind: 'compaction', last: ['CONTEXT CHECKPOINT COMPACTION'] },
    { kind: 'title', answers: 'title' },
    { kind: 'sub-agent', at: { header: 'x-openai-subagent' } },
    { kind: 'sub-agent', at: { header: 'x-codex-parent-thread-id' } },
    { kind: 'sub-agent', at: { body: ['client_metadata', 'x-openai-subagent'] } },
    ...inMetadata('subagent_kind').map((at) => ({ kind: 'sub-agent' as const, at })),
    ...inMetadata('thread_source').map((at) => ({ kind: 'sub-agent' as const, at, value: /sub-?agent/ })),
  ],
  sections: [
    { layer: 'permissions', ...tag('permissions instructions') },
    { layer: 'skills', ...tag('skills_instructions') },
    { layer: 'mode', ...tag('collaboration_mode') },
    { layer: 'personality', ...tag('personality_spec') },
    { layer: 'apps', ...tag('apps_instructions') },
    { layer: 'plugins', ...tag('plugins_instructions') },
    { layer: 'agents', ...tag('multi_agent_mode') },
    { layer: 'environment', ...tag('environment_context') },
    { layer: 'model-change', ...tag('model_switch') },
    // A heading of its own prompt, which says what such files are.
    { layer: 'system-prompt', begin: '# AGENTS.md spec' },
    {
      layer: 'instructions',
      begin: '# AGENTS.md instructions for ',
      end: '</INSTRUCTIONS>',
      name: /^# AGENTS\.md instructions for (?<name>[^\n]{1,400})/,
    },
    { layer: 'instructions', ...tag('user_instructions') },
    { layer: 'skill', ...tag('skill'), name: /<name>(?<name>[^<\n]{1,200})<\/name>/, where: ['user'] },
    { layer: 'command', ...tag('user_shell_command'), where: ['user'] },
    { layer: 'interruption', ...tag('turn_aborted'), where: ['user'] },
    { layer: 'agents', ...tag('subagent_notification'), origin: 'model', where: ['user'] },
    { layer: 'goal', ...tag('goal_context'), where: ['user', 'system'] },
    { layer: 'summary', begin: 'Another language model started to solve this problem', ...wholeMessage },
  ],
  remedies: {
    'unused-server': 'In ~/.codex/config.toml: `enabled = false` below `[mcp_servers.{name}]`.',
    'carried-result': '`/compact` or `/new` once it is no longer needed.',
    'repeated-result': '`/compact` or `/new` between tasks.',
    'cold-cache': '`/new` before you come back to it after a break.',
  },
}

/** The files of a workspace that it puts into its prompt. */
const files = ['AGENTS', 'SOUL', 'USER', 'TOOLS', 'IDENTITY', 'MEMORY', 'HEARTBEAT', 'BOOTSTRAP'].map(
  (name) => `${name}.md`,
)

const projectContext: SectionRule = {
  layer: 'instructions',
  begin: '# Project Context',
  where: ['system'],
  inner: ['/', '~/', ...files].map((begin) => ({
    layer: begin === 'MEMORY.md' ? 'memory' : 'instructions',
    begin: `## ${begin}`,
    name: /^## (?<name>[^\n]{1,400})/,
  })),
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/**
 * OpenClaw, versions 2026. To addresses other than those of the vendors it sends neither a header nor a field with its ids, and they
 * are in its prompt alone.
 */
const openclaw: Recogniser = {
  client: 'openclaw',
  signs: [
    { header: 'user-agent', pattern: /^openclaw(?:\/(?<version>[\w.-]{1,40}))?/i },
    { header: 'originator', pattern: /^openclaw/i },
    { prompt: 'running inside OpenClaw' },
  ],
  session: [
    { header: 'x-openclaw-session-id' },
    { header: 'x-openclaw-session-key' },
    { body: ['metadata', 'openclaw_session_id'] },
    { said: 'system', pattern: /^Runtime: agent=[^\n]{0,400}?\bsessionId=(?<value>[\w-]{8,64})/m },
    { header: 'session_id' },
    { body: ['prompt_cache_key'] },
  ],
  turn: [{ header: 'x-openclaw-turn-id' }, { body: ['metadata', 'openclaw_turn_id'] }],
  kinds: [
    { kind: 'compaction', withoutTools: true, system: ['context summarization assistant'] },
    {
      kind: 'sub-agent',
      at: {
        said: 'system',
        pattern: /^Runtime: agent=[^\n]{0,200}?\bsession=(?<value>agent:[^\s:|]{1,80}:subagent:)/m,
      },
    },
  ],
  sections: [
    { layer: 'skills', begin: '## Skills\n', where: ['system'] },
    { layer: 'environment', begin: '## Current Date & Time', where: ['system'] },
    { layer: 'environment', begin: '## Temporal Context', where: ['system'] },
    { layer: 'environment', begin: '## Runtime\n', where: ['system'] },
    { layer: 'environment', begin: 'Runtime: agent=', where: ['user'] },
    {
      layer: 'environment',
      begin: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>',
      end: '<<<END_OPENCLAW_INTERNAL_CONTEXT>>>',
      where: ['user'],
    },
    // When a person wrote stands before what they wrote: `[Tue 2026-11-24 18:11 UTC] `.
    ...days.map((day) => ({ layer: 'environment', begin: `[${day} 20`, end: '] ', where: ['user'] as const })),
    // The rules of OpenClaw end what is before them.
    ...['## Skill Workshop', '## Delegation'].map((begin) => ({
      layer: 'system-prompt',
      begin,
      where: ['system'] as const,
    })),
    { ...projectContext, end: '<!-- /openclaw:attempt:STABLE -->' },
    projectContext,
  ],
}

/** opencode, versions 1. */
const opencode: Recogniser = {
  client: 'opencode',
  signs: [
    { header: 'user-agent', pattern: /^opencode\/(?<version>[\w.-]{1,40})/i },
    { header: 'x-opencode-session', pattern: /./ },
    { header: 'x-opencode-client', pattern: /./ },
  ],
  session: [
    { header: 'x-opencode-session' },
    { header: 'x-session-id' },
    { header: 'x-session-affinity' },
    { body: ['prompt_cache_key'] },
    { body: ['promptCacheKey'] },
  ],
  parent: [{ header: 'x-parent-session-id' }, { header: 'x-opencode-parent-session' }],
  turn: [{ header: 'x-opencode-request' }],
  kinds: [
    { kind: 'title', system: ['You are a title generator'] },
    { kind: 'title', withoutTools: true, last: ['Generate a title for this conversation'] },
    {
      kind: 'compaction',
      withoutTools: true,
      system: ['summarizing conversations', 'context summarization', 'conversation summaries'],
    },
    {
      kind: 'compaction',
      last: [
        'detailed prompt for continuing our conversation',
        'Create a new anchored summary',
        'Update the anchored summary',
      ],
    },
    { kind: 'sub-agent', at: { header: 'x-parent-session-id' } },
    { kind: 'sub-agent', at: { header: 'x-opencode-parent-session' } },
  ],
  sections: [
    { layer: 'environment', ...tag('directories'), where: ['system'] },
    { layer: 'environment', ...tag('files'), where: ['system'] },
    {
      layer: 'instructions',
      begin: 'Instructions from: ',
      name: /^Instructions from: (?<name>[^\n]{1,400})/,
      where: ['system', 'result'],
    },
    {
      layer: 'skill',
      begin: '<skill_content',
      end: '</skill_content>',
      name: /^<skill_content name="(?<name>[^"\n]{1,200})"/,
      where: ['user', 'result'],
    },
  ],
  remedies: {
    'unused-tool': 'In opencode.json: `"tools": {"{name}": false}`.',
    'unused-server': 'In opencode.json: `"mcp": {"{name}": {"enabled": false}}`.',
    'carried-result': '`/compact` or `/new` once it is no longer needed.',
    'repeated-result': '`/compact` or `/new` between tasks.',
  },
}

/** pi, and agents that are built on it. It sends no id of its own to most providers. */
const pi: Recogniser = {
  client: 'pi',
  signs: [
    { header: 'originator', pattern: /^pi$/i },
    { header: 'user-agent', pattern: /^pi(?:-coding-agent)?(?:\/(?<version>[\w.-]{1,40})|[\s(]|$)/i },
    { prompt: 'operating inside pi, a coding agent harness' },
  ],
  session: [
    { header: 'session_id' },
    { header: 'session-id' },
    { header: 'x-session-affinity' },
    { body: ['prompt_cache_key'] },
  ],
  kinds: [
    { kind: 'compaction', withoutTools: true, system: ['context summarization assistant'] },
    { kind: 'compaction', withoutTools: true, last: ['structured context checkpoint summary'] },
  ],
  sections: [
    { layer: 'environment', begin: 'Current date', where: ['system'] },
    { layer: 'environment', begin: 'Current working directory:', where: ['system'] },
    {
      layer: 'instructions',
      begin: '<project_instructions',
      end: '</project_instructions>',
      name: /^<project_instructions path="(?<name>[^"\n]{1,400})"/,
      where: ['system'],
    },
    {
      layer: 'instructions',
      begin: '# Project Context',
      where: ['system'],
      inner: [{ layer: 'instructions', begin: '## /', name: /^## (?<name>[^\n]{1,400})/ }],
    },
    { layer: 'summary', begin: 'The conversation history before this point was compacted', ...wholeMessage },
    { layer: 'summary', begin: 'The following is a summary of a branch', ...wholeMessage },
  ],
  remedies: {
    'unused-tool': 'Start it with `--tools` and the tools that are needed, without {name}.',
    'carried-result': '`/compact` or `/new` once it is no longer needed.',
    'repeated-result': '`/compact` or `/new` between tasks.',
  },
}

/** aider: it calls no tools, and names neither a session nor a turn. */
const aider: Recogniser = {
  client: 'aider',
  signs: [
    { header: 'user-agent', pattern: /^aider(?:\/(?<version>[\w.-]{1,40}))?/i },
    { header: 'x-title', pattern: /^aider$/i },
    { header: 'http-referer', pattern: /aider\.chat/i },
    { prompt: '*SEARCH/REPLACE block*' },
  ],
  kinds: [
    { kind: 'compaction', last: ['summarize this partial conversation about programming'] },
    { kind: 'compaction', system: ['summarize this partial conversation about programming'] },
    { kind: 'title', system: ['generates concise, one-line Git commit messages', 'generates Git commit messages'] },
  ],
  sections: [
    {
      layer: 'repository-map',
      begin: 'Here are summaries of some files present in my git repository',
      ...wholeMessage,
    },
    { layer: 'summary', begin: 'I spoke to you previously about a number of things', ...wholeMessage },
    { layer: 'attachment', begin: 'I have *added these files to the chat*', ...wholeMessage },
    { layer: 'attachment', begin: 'Here are some READ ONLY files', ...wholeMessage },
  ],
}

/** The tables of the clients, in the order in which their signs are looked for. */
export const clientTables: readonly Recogniser[] = [claudeCode, codex, opencode, openclaw, pi, aider, ...cliAgents]

export const knownClients: ReadonlySet<string> = new Set(clientTables.map(({ client }) => client!))

/** The table of a client before the general one; all of them where the client is not known. */
export function tablesOf(client: string | undefined): readonly Recogniser[] {
  const own = clientTables.find((table) => table.client === client)
  return own ? [own, general] : [...clientTables, general]
}
