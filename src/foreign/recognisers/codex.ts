import type { Recogniser } from './recogniser.ts'

const metadata = ['client_metadata', 'x-codex-turn-metadata'] as const
const inMetadata = (json: string) => [
  { body: metadata, json },
  { header: 'x-codex-turn-metadata', json },
]

/** Codex CLI, versions 0.1. */
export const codex: Recogniser = {
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
    {
      layer: 'permissions',
      begin: '<permissions instructions>',
      end: '</permissions instructions>',
      origin: 'operator',
    },
    { layer: 'skills', begin: '<skills_instructions>', end: '</skills_instructions>', origin: 'file' },
    { layer: 'mode', begin: '<collaboration_mode>', end: '</collaboration_mode>', origin: 'operator' },
    { layer: 'personality', begin: '<personality_spec>', end: '</personality_spec>', origin: 'operator' },
    { layer: 'apps', begin: '<apps_instructions>', end: '</apps_instructions>', origin: 'operator' },
    { layer: 'plugins', begin: '<plugins_instructions>', end: '</plugins_instructions>', origin: 'operator' },
    { layer: 'agents', begin: '<multi_agent_mode>', end: '</multi_agent_mode>', origin: 'operator' },
    { layer: 'environment', begin: '<environment_context>', end: '</environment_context>', origin: 'operator' },
    { layer: 'model-change', begin: '<model_switch>', end: '</model_switch>', origin: 'operator' },
    {
      layer: 'instructions',
      begin: '# AGENTS.md instructions for ',
      end: '</INSTRUCTIONS>',
      name: /^# AGENTS\.md instructions for (?<name>[^\n]{1,400})/,
      origin: 'file',
    },
    { layer: 'instructions', begin: '<user_instructions>', end: '</user_instructions>', origin: 'file' },
    {
      layer: 'skill',
      begin: '<skill>',
      end: '</skill>',
      name: /<name>(?<name>[^<\n]{1,200})<\/name>/,
      origin: 'file',
      where: ['user'],
    },
    { layer: 'command', begin: '<user_shell_command>', end: '</user_shell_command>', origin: 'user', where: ['user'] },
    { layer: 'interruption', begin: '<turn_aborted>', end: '</turn_aborted>', origin: 'operator', where: ['user'] },
    {
      layer: 'agents',
      begin: '<subagent_notification>',
      end: '</subagent_notification>',
      origin: 'model',
      where: ['user'],
    },
    { layer: 'goal', begin: '<goal_context>', end: '</goal_context>', origin: 'operator', where: ['user', 'system'] },
    {
      layer: 'summary',
      begin: 'Another language model started to solve this problem',
      whole: true,
      origin: 'model',
      where: ['user'],
    },
  ],
  targets: [
    { tool: /^(?:exec_command|shell_command)$/, field: 'cmd', kind: 'command' },
    { tool: /^(?:exec_command|shell_command|shell|container\.exec)$/, field: 'command', kind: 'command' },
    { tool: /^local_shell$/, field: 'command', kind: 'command' },
    { tool: /^view_image$/, field: 'path', kind: 'file' },
  ],
}
