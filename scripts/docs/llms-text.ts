import { posix } from 'node:path'

/** A page as lists of pages show it. */
export interface PageHead {
  /** Path in `docs/`, such as `guide/library.md`. */
  readonly path: string
  readonly title: string
  /** First sentence of its first paragraph; empty where it has none. */
  readonly summary: string
}

/** Folders that come first and last; the ones in between stand in the order of their names. */
const first = ['guide', '.']
const last = ['reference', 'decisions']

/** `docs/llms.txt` (llmstxt.org): what there is to read, a line each. Decisions are optional reading by that format. */
export function llmsText(name: string, description: string, pages: readonly PageHead[]): string {
  const folders = [...new Set(pages.map(({ path }) => posix.dirname(path)))].toSorted()
  const middle = folders.filter((folder) => !first.includes(folder) && !last.includes(folder))
  const sections = [...first, ...middle, ...last]
    .filter((folder) => folders.includes(folder))
    .map((folder) => {
      const lines = pages
        .filter(({ path }) => posix.dirname(path) === folder)
        .map(({ path, title, summary }) => `- [${title}](${path})${summary === '' ? '' : `: ${summary}`}`)
      return `## ${sectionTitle(folder)}\n\n${lines.join('\n')}`
    })
  return `# ${name}\n\n> ${description}\n\n${sections.join('\n\n')}\n`
}

export function pageHead(path: string, text: string): PageHead {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? posix.basename(path, '.md')
  const paragraph = text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => block !== '' && !/^(?:#|[-*+] |[|>]|\d+\. |```|<|!\[)/.test(block))
  return { path, title: plain(title), summary: firstSentence(plain(paragraph ?? '').replace(/^Decided\. /, '')) }
}

function sectionTitle(folder: string): string {
  if (folder === '.') return 'About'
  if (folder === 'decisions') return 'Optional'
  return folder[0]!.toUpperCase() + folder.slice(1)
}

/** Without links and emphasis, in one line. Code keeps its marks. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function firstSentence(text: string): string {
  return /^.*?[.!?:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
