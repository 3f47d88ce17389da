/**
 * The test files that share a process, by the name of the process. A process for each of some 350 small files takes longer
 * to load the same modules than the tests take to run. Files that change the process (its environment, its folder, its
 * globals) or that run for long have a process of their own: every file that no pattern here names.
 */
export const sharedFiles: Readonly<Record<string, readonly string[]>> = {
  channel: ['test/channel/*.test.ts'],
  'command-a': ['test/cli{,-[a-d]*}.test.ts'],
  'command-e': ['test/cli-[e-r]*.test.ts'],
  'command-s': ['test/cli-[s-z]*.test.ts'],
  document: ['test/document/{file-kind,garbage,image,page,pdf,plain-text,spreadsheet,word}.test.ts'],
  home: ['test/home*.test.ts'],
  laws: ['test/laws{,-[a-i]*}.test.ts'],
  'laws-l': ['test/laws-[j-z]*.test.ts'],
  lower: ['src/{citation,context,document,foreign,model,platform,search,session,tool}/**/*.test.ts'],
  'mcp-server': ['test/mcp-server/*.test.ts'],
  page: ['test/page-*.test.ts'],
  'runtime-a': ['test/runtime/[a-m]*.test.ts'],
  'runtime-n': ['test/runtime/[n-z]*.test.ts'],
  'server-a': ['test/server/[a-l]*.test.ts'],
  'server-m': ['test/server/[m-z]*.test.ts'],
  skills: ['test/{pinned,skills}-*.test.ts'],
  'small-folders': ['test/{configuration,examples,foreign,foreword,kit,model,search,through,web}/*.test.ts'],
  together: [
    'test/{agent-loop,call-scenario,canaries,chat-regenerate,chosen-files,costs,error-codes,frames,frozen-head,golden,long-turn,preview-attachments,scenario-schema,schema,taint,tool-decisions,usage}.test.ts',
  ],
  upper: ['src/{agent,capabilities,capability,cli,foreword,runtime,server,testing}/**/*.test.ts'],
}
