import { type Document, LineCounter, parseDocument } from 'yaml'

/** The longest frontmatter that is read, characters. */
export const LARGEST_FRONTMATTER = 65_536
/** How often aliases may stand for something, so that a few lines cannot grow to millions. */
export const MOST_ALIASES = 32

/** Frontmatter as a YAML document with positions. No tag has a meaning, and a key that stands twice is no error. */
export function frontmatterDocument(yaml: string): { readonly document: Document; readonly lines: LineCounter } {
  const lines = new LineCounter()
  const document = parseDocument(yaml, {
    schema: 'core',
    version: '1.2',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: true,
    logLevel: 'silent',
    lineCounter: lines,
  })
  return { document, lines }
}
