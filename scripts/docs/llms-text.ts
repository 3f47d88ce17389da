import { posix } from 'node:path'

/** A page as lists of pages show it. */
export interface PageHead {
  /** Path in `docs/`, such as `guide/library.md`. */
  readonly path: string
  readonly title: string
  /** First sentence of its first paragraph; empty where it has none. */
  readonly summary: string
}

/** The pages of the guide in the order in which people need them: tasks first, rules after. */
const guide: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['getting-started', 'tutorial', 'faq', 'comparison', 'troubleshooting'],
  'Use it': ['web-app', 'command-line', 'edit-repository', 'wrap', 'telegram', 'acp', 'schedules'],
  'Set it up': ['configuration', 'projects', 'skills', 'subjects', 'tools', 'budgets'],
  'Keep it running': ['deployment', 'people', 'sign-in', 'team', 'monitoring', 'upgrade', 'telemetry'],
  'How it decides': ['assembly', 'layouts', 'prompt-caches', 'outcomes', 'scenarios'],
  'Connect programs': [
    'http',
    'http-manage',
    'openai-clients',
    'anthropic-clients',
    'use-chat',
    'through',
    'assemble',
    'mcp-server',
  ],
  'Build with it': ['library', 'agent-loop', 'own-tool', 'own-provider', 'own-channel', 'own-capability'],
}

/** Folders that come last; the ones before stand in the order of their names. */
const last = ['reference', 'decisions']

/**
 * `docs/llms.txt` (llmstxt.org): what there is to read, a line each. Decisions are optional reading by that format. Throws for
 * a page of the guide that no group has.
 */
export function llmsText(name: string, description: string, pages: readonly PageHead[]): string {
  const known = new Map(pages.map((page) => [page.path, page]))
  const groups = Object.entries(guide).map(([title, names]) => section(title, names.map(guidePage), known))
  const grouped = new Set(Object.values(guide).flat().map(guidePage))
  const others = pages.map(({ path }) => path).filter((path) => !grouped.has(path))
  const lost = others.filter((path) => path.startsWith('guide/'))
  if (lost.length > 0) throw new Error(`scripts/docs/llms-text.ts names no group for ${lost.join(', ')}`)
  const folders = [...new Set(others.map((path) => posix.dirname(path)))].toSorted()
  const rest = [...folders.filter((folder) => !last.includes(folder)), ...last].flatMap((folder) => {
    const paths = others.filter((path) => posix.dirname(path) === folder)
    return paths.length === 0 ? [] : [section(sectionTitle(folder), paths, known)]
  })
  return `# ${name}\n\n> ${description}\n\n${[...groups, ...rest].join('\n\n')}\n`
}

const guidePage = (name: string): string => `guide/${name}.md`

function section(title: string, paths: readonly string[], known: ReadonlyMap<string, PageHead>): string {
  const lines = paths.map((path) => {
    const { title: words, summary } = known.get(path) ?? { title: path, summary: '' }
    return `- [${words}](${path})${summary === '' ? '' : `: ${summary}`}`
  })
  return `## ${title}\n\n${lines.join('\n')}`
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
