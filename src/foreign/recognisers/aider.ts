import type { Recogniser } from './recogniser.ts'

/** aider: it calls no tools, and names neither a session nor a turn. */
export const aider: Recogniser = {
  client: 'aider',
  signs: [
    { header: 'user-agent', pattern: /^aider(?:\/(?<version>[\w.-]{1,40}))?/i },
    { header: 'x-title', pattern: /^aider$/i },
    { header: 'http-referer', pattern: /aider\.chat/i },
    { prompt: '*SEARCH/REPLACE block*' },
  ],
  session: [],
  parent: [],
  turn: [],
  kinds: [
    { kind: 'compaction', last: ['summarize this partial conversation about programming'] },
    { kind: 'compaction', system: ['summarize this partial conversation about programming'] },
    { kind: 'title', system: ['generates concise, one-line Git commit messages', 'generates Git commit messages'] },
  ],
  sections: [
    {
      layer: 'repository-map',
      begin: 'Here are summaries of some files present in my git repository',
      whole: true,
      origin: 'file',
      where: ['user'],
    },
    {
      layer: 'attachment',
      begin: 'I have *added these files to the chat*',
      whole: true,
      origin: 'file',
      where: ['user'],
    },
    { layer: 'attachment', begin: 'Here are some READ ONLY files', whole: true, origin: 'file', where: ['user'] },
  ],
  targets: [],
}
