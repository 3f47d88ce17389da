import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchorOf } from './anchor-of.js'
import { keepBraces } from './keep-braces.js'

const pages = join(import.meta.dirname, '..', 'pages')

/** The groups of docs/llms.txt, which is written from the pages themselves, with the pages that the site has. */
const groups = readFileSync(join(pages, 'llms.txt'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((group) => ({
    text: group.slice(0, group.indexOf('\n')),
    items: Array.from(group.matchAll(/^- \[(.+?)\]\((.+?)\.md\)/gm), ([, text, page]) => ({
      text,
      link: `/${page}`,
    })).filter(({ link }) => existsSync(join(pages, `${link}.md`))),
  }))
  .filter(({ items }) => items.length > 0)

export default {
  title: 'Foreword',
  description: JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')).description,
  srcDir: './pages',
  outDir: './dist',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  markdown: { attrs: { disable: true }, anchor: { slugify: anchorOf }, config: keepBraces },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/guide/tutorial' },
      { text: 'Troubleshooting', link: '/guide/troubleshooting' },
      { text: 'Security', link: '/SECURITY' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: groups.map((group) => ({ ...group, collapsed: group.text === 'Reference' })),
    outline: [2, 3],
    search: { provider: 'local' },
  },
}
