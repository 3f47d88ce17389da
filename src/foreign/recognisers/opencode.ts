import type { Recogniser } from './recogniser.ts'

/** opencode, versions 1. */
export const opencode: Recogniser = {
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
    { layer: 'environment', begin: '<env>', end: '</env>', origin: 'operator', where: ['system'] },
    { layer: 'environment', begin: '<directories>', end: '</directories>', origin: 'operator', where: ['system'] },
    { layer: 'environment', begin: '<files>', end: '</files>', origin: 'operator', where: ['system'] },
    {
      layer: 'instructions',
      begin: 'Instructions from: ',
      name: /^Instructions from: (?<name>[^\n]{1,400})/,
      origin: 'file',
      where: ['system', 'result'],
    },
    { layer: 'skills', begin: '<available_skills>', end: '</available_skills>', origin: 'file', where: ['system'] },
    {
      layer: 'skill',
      begin: '<skill_content',
      end: '</skill_content>',
      name: /^<skill_content name="(?<name>[^"\n]{1,200})"/,
      origin: 'file',
      where: ['user', 'result'],
    },
  ],
  targets: [
    { tool: /^(?:read|edit|write|patch|lsp.*)$/, field: 'filePath', kind: 'file' },
    { tool: /^(?:bash|shell)$/, field: 'command', kind: 'command' },
    { tool: /^task$/, field: 'description', kind: 'other' },
    { tool: /^skill$/, field: 'name', kind: 'other' },
  ],
}
