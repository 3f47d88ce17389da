// Plugins that leave out what packages bring along and the page does not use. They change the built page alone.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * marked is one file, and its default instance holds on to all of it. Without that, what writes HTML drops out: the page reads
 * Markdown with the lexer alone. Where a later version looks different, nothing is taken out.
 */
export const markedLexer: Plugin = {
  name: 'marked-lexer',
  transform: {
    filter: { id: /[\\/]marked[\\/]lib[\\/]marked\.esm\.js$/ },
    handler(code) {
      const [, lexer] = /export\s*\{[^}]*?([\w$]+) as Lexer\b/.exec(code) ?? []
      const [, defaults] = /export\s*\{[^}]*?([\w$]+) as getDefaults\b/.exec(code) ?? []
      const instance = code.search(/var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\(/)
      if (lexer === undefined || defaults === undefined || instance === -1) return undefined
      return { code: `${code.slice(0, instance)}export{${lexer} as Lexer,${defaults} as getDefaults};`, map: null }
    },
  },
}

/** `diff` makes one of each of its kinds when it is loaded. Without that, the kinds that the page does not use drop out. */
export const usedDiffs: Plugin = {
  name: 'used-diffs',
  apply: 'build',
  transform: {
    filter: { id: /[\\/]diff[\\/]libesm[\\/]diff[\\/]\w+\.js$/ },
    handler: (code) => ({ code: code.replaceAll(/= (?=new \w+Diff\(\))/g, '= /* @__PURE__ */ '), map: null }),
  },
}

/** An icon of `lucide-react`: one file for each. */
const icon = /[\\/]lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/]/

/**
 * Icons are drawn by `src/parts/draw-icon.ts` instead of by the code of the package, which reads a theme that the page does not
 * have. Names and keys in the data of an icon are for that code alone.
 */
export const plainIcons: Plugin = {
  name: 'plain-icons',
  apply: 'build',
  enforce: 'pre',
  resolveId: {
    filter: { id: /createLucideIcon\.mjs$/ },
    handler: (_, importer = '') =>
      icon.test(importer) ? join(import.meta.dirname, 'src/parts/draw-icon.ts') : undefined,
  },
  transform: {
    filter: { id: icon },
    handler: (code) => ({
      code: code.replaceAll(/, key: "\w+"|^ *(?:name|size|aliases): .*,$|^__iconData\.node;$/gm, ''),
      map: null,
    }),
  },
}

const NAMED = '\0named:'
const require = createRequire(import.meta.url)

/**
 * React is CommonJS, so each use of one of its functions would name its module again, and each element of the page is such a
 * use. This module has the names of it as exports of their own.
 */
export const reactNames: Plugin = {
  name: 'react-names',
  apply: 'build',
  enforce: 'pre',
  resolveId(source, importer, { kind }) {
    if (kind !== 'import-statement' || importer?.startsWith(NAMED)) return undefined
    return /^react(?:\/jsx-runtime)?$/.test(source) ? `${NAMED}${source}` : undefined
  },
  load(id) {
    if (!id.startsWith(NAMED)) return undefined
    const path = require.resolve(id.slice(NAMED.length))
    const names = Object.keys(require(path) as object).filter((name) => /^[A-Za-z]+$/.test(name))
    const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => react.${name})()`)
    return [`import react from ${JSON.stringify(path)}`, 'export default react', ...exports].join('\n')
  },
}
