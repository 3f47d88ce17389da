import type { Recogniser } from './recogniser.ts'

/** pi, and agents that are built on it. It sends no id of its own to most providers. */
export const pi: Recogniser = {
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
  parent: [],
  turn: [],
  kinds: [
    { kind: 'compaction', withoutTools: true, system: ['context summarization assistant'] },
    { kind: 'compaction', withoutTools: true, last: ['structured context checkpoint summary'] },
  ],
  sections: [
    { layer: 'skills', begin: '<available_skills>', end: '</available_skills>', origin: 'file', where: ['system'] },
    { layer: 'environment', begin: 'Current date', origin: 'operator', where: ['system'] },
    { layer: 'environment', begin: 'Current working directory:', origin: 'operator', where: ['system'] },
    {
      layer: 'instructions',
      begin: '<project_instructions',
      end: '</project_instructions>',
      name: /^<project_instructions path="(?<name>[^"\n]{1,400})"/,
      origin: 'file',
      where: ['system'],
    },
    {
      layer: 'instructions',
      begin: '# Project Context',
      origin: 'file',
      where: ['system'],
      inner: [{ layer: 'instructions', begin: '## /', name: /^## (?<name>[^\n]{1,400})/, origin: 'file' }],
    },
    {
      layer: 'summary',
      begin: 'The conversation history before this point was compacted',
      whole: true,
      origin: 'model',
      where: ['user'],
    },
    {
      layer: 'summary',
      begin: 'The following is a summary of a branch',
      whole: true,
      origin: 'model',
      where: ['user'],
    },
  ],
  targets: [
    { tool: /^(?:read|edit|write|ls)$/, field: 'path', kind: 'file' },
    { tool: /^bash$/, field: 'command', kind: 'command' },
  ],
}
