import type { Recogniser } from './recogniser.ts'

/** The files of a workspace that it puts into its prompt. */
const files = ['AGENTS', 'SOUL', 'USER', 'TOOLS', 'IDENTITY', 'MEMORY', 'HEARTBEAT', 'BOOTSTRAP'].map(
  (name) => `${name}.md`,
)

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
      inner: ['/', '~/', ...files].map((begin) => ({
        layer: 'instructions',
        begin: `## ${begin}`,
        name: /^## (?<name>[^\n]{1,400})/,
        origin: 'file' as const,
      })),
    },
  ],
  targets: [{ tool: /^exec$/, field: 'command', kind: 'command' }],
}
