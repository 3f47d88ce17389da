import type { Recogniser, SectionRule } from './recogniser.ts'

/** The files of a workspace that it puts into its prompt. */
const files = ['AGENTS', 'SOUL', 'USER', 'TOOLS', 'IDENTITY', 'MEMORY', 'HEARTBEAT', 'BOOTSTRAP'].map(
  (name) => `${name}.md`,
)

const projectContext: SectionRule = {
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
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/**
 * OpenClaw, versions 2026. To addresses other than those of the vendors it sends neither a header nor a field with its ids, and they
 * are in its prompt alone.
 */
export const openclaw: Recogniser = {
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
  parent: [],
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
    { layer: 'skills', begin: '## Skills\n', origin: 'file', where: ['system'] },
    { layer: 'environment', begin: '## Current Date & Time', origin: 'operator', where: ['system'] },
    { layer: 'environment', begin: '## Temporal Context', origin: 'operator', where: ['system'] },
    { layer: 'environment', begin: '## Runtime\n', origin: 'operator', where: ['system'] },
    { layer: 'environment', begin: 'Runtime: agent=', origin: 'operator', where: ['user'] },
    {
      layer: 'environment',
      begin: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>',
      end: '<<<END_OPENCLAW_INTERNAL_CONTEXT>>>',
      origin: 'operator',
      where: ['user'],
    },
    // When a person wrote stands before what they wrote: `[Tue 2026-11-24 18:11 UTC] `.
    ...days.map((day) => ({
      layer: 'environment',
      begin: `[${day} 20`,
      end: '] ',
      origin: 'operator' as const,
      where: ['user'] as const,
    })),
    // The rules of OpenClaw end what is before them.
    ...['## Skill Workshop', '## Delegation'].map((begin) => ({
      layer: 'system-prompt',
      begin,
      origin: 'operator' as const,
      where: ['system'] as const,
    })),
    { ...projectContext, end: '<!-- /openclaw:attempt:STABLE -->' },
    projectContext,
  ],
  targets: [{ tool: /^exec$/, field: 'command', kind: 'command' }],
}
