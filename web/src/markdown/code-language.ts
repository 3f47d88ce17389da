import type { CodeLanguage } from './highlight.ts'

/** Each language with its other usual names. */
const languages: readonly (readonly [CodeLanguage, ...string[]])[] = [
  ['bash', 'sh', 'shell', 'zsh', 'console'],
  ['c', 'h'],
  ['css'],
  ['diff', 'patch'],
  ['go', 'golang'],
  ['html', 'svg', 'xml'],
  ['java'],
  ['javascript', 'js', 'mjs', 'cjs'],
  ['json', 'jsonc'],
  ['markdown', 'md'],
  ['python', 'py'],
  ['rust', 'rs'],
  ['sql'],
  ['toml', 'ini'],
  ['tsx', 'jsx'],
  ['typescript', 'ts'],
  ['yaml', 'yml'],
]

/** The language that a fence names, by any of its usual names; `undefined` for one that is not coloured. */
export function codeLanguage(name = ''): CodeLanguage | undefined {
  return languages.find((names) => names.includes(name.toLowerCase()))?.[0]
}
