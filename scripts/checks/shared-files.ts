/**
 * The test files that share a process, by the name of the process. A process for each of some 350 small files takes longer
 * to load the same modules than the tests take to run. Files that change the process (its environment, its folder, its
 * globals) or that run for long have a process of their own: every file that no pattern here names.
 */
export const sharedFiles: Readonly<Record<'unit' | 'slow' | 'page', Readonly<Record<string, readonly string[]>>>> = {
  unit: {
    channel: ['test/channel/*.test.ts'],
    'command-a': ['test/cli{,-[a-d]*}.test.ts'],
    'command-e': ['test/cli-[e-r]*.test.ts'],
    'command-s': ['test/cli-[s-z]*.test.ts'],
    document: ['test/document/{file-kind,garbage,image,page,pdf,plain-text,spreadsheet,word}.test.ts'],
    editors: ['test/acp{,-*}.test.ts'],
    home: ['test/home*.test.ts'],
    laws: ['test/laws{,-[a-i]*}.test.ts'],
    'laws-l': ['test/laws-[j-z]*.test.ts'],
    lower: ['src/{citation,context,document,foreign,model,platform,search,session}/**/*.test.ts'],
    mcp: ['test/mcp{,-*}.test.ts'],
    'mcp-server': ['test/mcp-server/*.test.ts'],
    pages: ['test/page-*.test.ts'],
    'runtime-a': ['test/runtime/[a-m]*.test.ts'],
    'runtime-n': ['test/runtime/[n-z]*.test.ts'],
    'server-a': ['test/server/[a-l]*.test.ts'],
    'server-m': ['test/server/[m-z]*.test.ts'],
    skills: ['test/{pinned,skills}-*.test.ts'],
    'small-folders': ['test/{configuration,examples,foreign,foreword,kit,model,search,through,web}/*.test.ts'],
    sources: ['test/{docs,house,house-counts,types}.test.ts'],
    together: [
      'test/{agent-loop,chat-regenerate,chosen-files,costs,error-codes,frames,golden,scenario-schema,schema,taint,tool-decisions,usage}.test.ts',
    ],
    tool: ['src/tool/{*,[!s]*/**/*,schema/**/*}.test.ts'],
    upper: ['src/{agent,capabilities,capability,cli,foreword,runtime,server,testing}/**/*.test.ts'],
  },
  // Real programs, gateways and servers, or many of them.
  slow: {
    attacks: [
      'test/{audit-attacks,audit-targets,bypass,command-presets,hostile-day,ssrf,escape-corpus/policies}.test.ts',
    ],
    counts: ['test/held-counts.test.ts'],
    images: ['test/{result-images,approved-files}.test.ts'],
    links: ['test/hard-links.test.ts'],
    people: ['test/people/*.test.ts'],
    sandbox: ['src/tool/sandbox/*.test.ts'],
    simulate: ['test/simulate-figures.test.ts'],
    talk: ['test/{backup-download,budgets,end-to-end,guide,left-out,readme}.test.ts'],
    turns: ['test/{call-scenario,canaries,frozen-head,long-turn,preview-attachments}.test.ts'],
  },
  page: {
    'page-a': ['test/page/[a-c]*.browser.ts'],
    'page-d': ['test/page/[d-h]*.browser.ts'],
    'page-i': ['test/page/[i-k]*.browser.ts'],
    'page-l': ['test/page/[l-n]*.browser.ts'],
    'page-p': ['test/page/p*.browser.ts', 'test/page/s[!e]*.browser.ts', 'test/page/sessions.browser.ts'],
    'page-t': ['test/page/[q-r]*.browser.ts', 'test/page/[t-z]*.browser.ts'],
    'settings-a': ['test/page/settings-[a-c]*.browser.ts'],
    'settings-d': ['test/page/settings-[d-p]*.browser.ts', 'test/page/setup.browser.ts'],
    'settings-r': ['test/page/settings-[r-z]*.browser.ts'],
  },
}
