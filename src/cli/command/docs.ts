import { readFile } from 'node:fs/promises'
import { nearestHint } from '../../platform.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { jsonOption } from '../arguments.ts'
import { usageFailure } from '../failure.ts'
import { print, printJson, printAnswer, safeForTerminal } from '../io.ts'
import { table } from '../table.ts'
import { loadRenderedAnswer } from '../turn-display.ts'

export const docsCommand: Command = {
  name: 'docs',
  group: 'look',
  summary: 'list the pages of the documentation or print one',
  usage: ['docs [PAGE] [--json]'],
  details:
    'Name a page as in the list, or by the last part of its name: `foreword docs getting-started`. ' +
    'A page is laid out on a terminal, and Markdown in a pipe or with `--raw`.',
  words: { least: 0, most: 1 },
  options: {
    raw: { summary: 'print a page as Markdown' },
    json: { ...jsonOption, summary: 'print {page, title, summary}, one page per line, or {page, text}' },
  },
  run: showDocs,
}

interface Page {
  readonly page: string
  readonly title: string
  readonly summary: string
}

/** In a checkout and in the installed package alike. */
const folder = new URL('../../../docs/', import.meta.url)

async function showDocs(call: CommandCall, io: Io): Promise<number> {
  const pages = parsePages(await readFile(new URL('llms.txt', folder), 'utf8'))
  const [wanted] = call.words
  if (wanted !== undefined) {
    const page = findPage(wanted, pages)
    const text = await readFile(new URL(`${page}.md`, folder), 'utf8')
    const rendered = call.json ? undefined : await loadRenderedAnswer(io, call.has('raw'))
    if (rendered === undefined) return printAnswer({ page, text }, () => text.trimEnd(), call, io)
    rendered.write(safeForTerminal(text, io.stdout))
    rendered.end()
    return 0
  }
  if (call.json) for (const page of pages) printJson(io, page)
  else print(io, table([['page', 'title'], ...pages.map(({ page, title }) => [page, title])]))
  return 0
}

function parsePages(list: string): readonly Page[] {
  return [...list.matchAll(/^- \[(.+?)\]\((.+)\.md\)(?:: (.+))?$/gm)].map(([, title, page, summary]) => ({
    page: page!,
    title: title!,
    summary: summary ?? '',
  }))
}

function findPage(wanted: string, pages: readonly Page[]): string {
  const name = wanted.replace(/^docs\//, '').replace(/\.md$/, '')
  const names = pages.map(({ page }) => page)
  const found = names.find((page) => page === name) ?? names.find((page) => page.endsWith(`/${name}`))
  if (found !== undefined) return found
  const all = [...names, ...names.map((page) => page.split('/').at(-1)!)]
  const hint = nearestHint(name, all, 'List the pages with `foreword docs`.', (near) => `\`foreword docs ${near}\``)
  throw usageFailure(`Unknown page "${wanted}".`, hint)
}
