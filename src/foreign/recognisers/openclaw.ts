import type { Recogniser } from './recogniser.ts'

/** OpenClaw. Its tools and its calls are those of pi, on which it is built. */
export const openclaw: Recogniser = {
  client: 'openclaw',
  signs: [
    { header: 'user-agent', pattern: /^openclaw(?:\/(?<version>[\w.-]{1,40}))?/i },
    { header: 'originator', pattern: /^openclaw/i },
    { prompt: 'running inside OpenClaw' },
  ],
  session: [{ header: 'x-openclaw-session-key' }, { header: 'session_id' }, { body: ['prompt_cache_key'] }],
  parent: [],
  turn: [],
  kinds: [{ kind: 'compaction', withoutTools: true, system: ['context summarization assistant'] }],
  sections: [
    { layer: 'skills', begin: '## Skills', origin: 'file', where: ['system'] },
    { layer: 'environment', begin: '## Current Date & Time', origin: 'operator', where: ['system'] },
    { layer: 'environment', begin: '## Runtime', origin: 'operator', where: ['system'] },
    {
      layer: 'instructions',
      begin: '# Project Context',
      origin: 'file',
      where: ['system'],
      inner: [{ layer: 'instructions', begin: '## /', name: /^## (?<name>[^\n]{1,400})/, origin: 'file' }],
    },
  ],
  targets: [{ tool: /^exec$/, field: 'command', kind: 'command' }],
}
