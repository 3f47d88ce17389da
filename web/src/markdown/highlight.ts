import {
  createCssVariablesTheme,
  createHighlighterCore,
  type HighlighterCore,
  type LanguageRegistration,
} from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'

/** A piece of a line in one look. `color` is a CSS variable of the page. */
export interface CodeToken {
  readonly text: string
  readonly color: string | undefined
  readonly italic: boolean
  readonly bold: boolean
}

type Grammar = () => Promise<{ readonly default: LanguageRegistration[] }>

/** The languages that are coloured, each read when it is first shown. */
const grammars = {
  bash: () => import('@shikijs/langs/bash'),
  c: () => import('@shikijs/langs/c'),
  css: () => import('@shikijs/langs/css'),
  diff: () => import('@shikijs/langs/diff'),
  go: () => import('@shikijs/langs/go'),
  html: () => import('@shikijs/langs/html'),
  java: () => import('@shikijs/langs/java'),
  javascript: () => import('@shikijs/langs/javascript'),
  json: () => import('@shikijs/langs/json'),
  markdown: () => import('@shikijs/langs/markdown'),
  python: () => import('@shikijs/langs/python'),
  rust: () => import('@shikijs/langs/rust'),
  sql: () => import('@shikijs/langs/sql'),
  toml: () => import('@shikijs/langs/toml'),
  tsx: () => import('@shikijs/langs/tsx'),
  typescript: () => import('@shikijs/langs/typescript'),
  yaml: () => import('@shikijs/langs/yaml'),
} satisfies Record<string, Grammar>

export type CodeLanguage = keyof typeof grammars

/** The code line by line; no text has a line end in it. Rejects where the grammar cannot be loaded. */
export async function highlight(code: string, language: CodeLanguage): Promise<readonly (readonly CodeToken[])[]> {
  const highlighter = await loaded(language)
  const { tokens } = highlighter.codeToTokens(code, {
    lang: language,
    theme: 'variables',
    tokenizeTimeLimit: LINE_LIMIT_MS,
  })
  return tokens.map((line) =>
    line.map(({ content, color, fontStyle = 0 }) => ({
      text: content,
      color,
      italic: (fontStyle & 1) !== 0,
      bold: (fontStyle & 2) !== 0,
    })),
  )
}

/**
 * For one line. What is over it stays without colours, so it is far more than the expressions of a grammar take that are compiled
 * at its first line, which took over the 500 ms of the default on a busy machine.
 */
const LINE_LIMIT_MS = 5_000

let core: Promise<HighlighterCore> | undefined

async function loaded(language: CodeLanguage): Promise<HighlighterCore> {
  core ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'variables', variablePrefix: '--code-' })],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  const highlighter = await core
  if (!highlighter.getLoadedLanguages().includes(language)) {
    const grammar: Grammar = grammars[language]
    await highlighter.loadLanguage((await grammar()).default)
  }
  return highlighter
}
