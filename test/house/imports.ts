import { sourceText } from './source-text.ts'

export interface Import {
  readonly specifier: string
  /** Gone when the types are stripped. */
  readonly typeOnly: boolean
}

const clause = String.raw`(type\s+)?(\*(?:\s+as\s+\w+)?|\{[^}]*\}|\w+(?:\s*,\s*(?:\{[^}]*\}|\*\s+as\s+\w+))?)`
const statement = new RegExp(String.raw`\b(?:import|export)\s*${clause}\s*from\s*(?=['"])`, 'g')
const bare = /\bimport\s*(\(\s*)?(?=['"])/g

/** Every module that a source file names: static, side-effect and dynamic imports, and exports that pass on. */
export function importsOf(source: string): readonly Import[] {
  const { code, text } = sourceText(source)
  const named = [...code.matchAll(statement)].map((match) => ({
    specifier: quotedAt(text, match.index + match[0].length),
    typeOnly: match[1] !== undefined || onlyTypes(match[2]!),
  }))
  const others = [...code.matchAll(bare)].map((match) => ({
    specifier: quotedAt(text, match.index + match[0].length),
    typeOnly: false,
  }))
  return [...named, ...others]
}

function onlyTypes(names: string): boolean {
  const parts = names.startsWith('{') ? names.slice(1, -1).split(',') : [names]
  const named = parts.map((part) => part.trim()).filter((part) => part !== '')
  return named.length > 0 && named.every((part) => part.startsWith('type '))
}

function quotedAt(text: string, at: number): string {
  return text.slice(at + 1, text.indexOf(text[at]!, at + 1))
}
