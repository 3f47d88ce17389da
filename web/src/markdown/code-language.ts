import type { CodeLanguage } from './highlight.ts'

const names: Readonly<Record<string, CodeLanguage>> = {
  bash: 'bash',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  c: 'c',
  h: 'c',
  css: 'css',
  diff: 'diff',
  patch: 'diff',
  go: 'go',
  golang: 'go',
  html: 'html',
  svg: 'html',
  xml: 'html',
  java: 'java',
  javascript: 'javascript',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  json: 'json',
  jsonc: 'json',
  markdown: 'markdown',
  md: 'markdown',
  python: 'python',
  py: 'python',
  rust: 'rust',
  rs: 'rust',
  sql: 'sql',
  toml: 'toml',
  ini: 'toml',
  jsx: 'tsx',
  tsx: 'tsx',
  typescript: 'typescript',
  ts: 'typescript',
  yaml: 'yaml',
  yml: 'yaml',
}

/** The language that a fence names, by any of its usual names; `undefined` for one that is not coloured. */
export function codeLanguage(name: string | undefined): CodeLanguage | undefined {
  const known = name?.toLowerCase() ?? ''
  return Object.hasOwn(names, known) ? names[known] : undefined
}
